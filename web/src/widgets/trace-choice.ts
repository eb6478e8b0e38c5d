// Lets the reader choose a recording from the files of the device.

/** Besides the ending, the type that a phone gives to a file whose ending it does not know. */
const ACCEPTED = '.backscope,application/octet-stream';

/** Opens the browser's file chooser; `take` gets the file, if one is chosen. Works only on a click or a key of the reader. */
export function chooseTrace(take: (file: File) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = ACCEPTED;
  input.hidden = true;
  input.addEventListener('change', () => {
    input.remove();
    const [file] = input.files ?? [];
    if (file) take(file);
  });
  input.addEventListener('cancel', () => input.remove());
  // Safari reports no choice for a field outside the document.
  document.body.append(input);
  input.click();
}
