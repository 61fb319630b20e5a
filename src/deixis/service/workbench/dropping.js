// Files and texts dropped on the form.

const MAX_FILE = 2_000_000; // bytes

/** Calls `take(text)` with the dropped text, or `refuse(message)` if it is too long. */
export function useDrops(form, take, refuse) {
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", async (event) => {
    event.preventDefault();
    form.classList.remove("over");
    const file = event.dataTransfer.files[0];
    if (file && file.size > MAX_FILE) return refuse(`${file.name} is too long for this page: deixis link reads files of any size.`);
    take(file ? await file.text() : event.dataTransfer.getData("text"));
  });
}
