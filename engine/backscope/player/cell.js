// The script of a recording in a cell; frame.js comes before it, and cell.py puts in what is in capitals.
const box = document.currentScript.parentElement;
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
