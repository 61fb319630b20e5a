// What the browser keeps for this page. It may refuse, when its storage is full or forbidden: then nothing breaks.

export function recall(name, storage = "localStorage") {
  try {
    return window[storage].getItem(name);
  } catch {
    return null;
  }
}

/** Whether it is kept. */
export function store(name, value, storage = "localStorage") {
  try {
    window[storage].setItem(name, value);
    return true;
  } catch {
    return false;
  }
}
