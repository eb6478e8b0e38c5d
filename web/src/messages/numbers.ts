// What the editor says about numbers that can be changed while the run follows.

export const dragIt =
  'Drag sideways to change it: Shift ×10, Alt ÷10. At the cursor: Alt+↑, Alt+↓, with Shift ×10, with Ctrl ÷10';
export const howToChange = 'Drag it sideways, or press Alt+↑ or Alt+↓: the run follows.';
export const howToDrag = 'Drag it sideways: the run follows.';
