// The script of a recording in a cell; frame.js comes before it, and cell.py puts in what is in capitals.
// VS Code runs a copy of the script, which is in the element around the output.
const at = document.currentScript.parentElement;
const box = at.closest(".backscope") ?? at.querySelector(".backscope");
const name = PAGE, put = PUT;
const show = () => {
  const text = page(name);
  if (!text) return false;
  for (const said of box.querySelectorAll("pre, img, p")) said.remove();
  play(box, text, put, HEIGHT);
  return true;
};
if (!show()) pages.waiting.push(show);
else pages.waiting = pages.waiting.filter((one) => !one());
