// Browser storage for this page. It may be full or disabled: then nothing breaks.

export function recall(name, storage = "localStorage") {
  try {
    return window[storage].getItem(name);
  } catch {
    return null;
  }
}

/** Stores a value; returns whether it was stored. */
export function store(name, value, storage = "localStorage") {
  try {
    window[storage].setItem(name, value);
    return true;
  } catch {
    return false;
  }
}
