// The room of a lesson in a frame: the page around it may give the frame the height that the lesson's page needs.

import { sendHeight } from '../../embed/height';

/** The most that a lesson takes of the height; a longer page of it scrolls. */
const MOST = 560;

/**
 * Asks the page around the frame for as much more height as the text of the lesson needs, again after each change of it.
 * The lesson becomes higher once the frame is: the stage loses nothing where the page does not answer. Returns a function
 * that stops asking.
 */
export function askForRoom(body: HTMLElement, lesson: HTMLElement): () => void {
  const { style } = document.documentElement;
  let asked = { height: 0, lesson: 0 };
  const measure = () => {
    if (body.clientHeight === 0) return; // It is not laid out yet.
    const room = Math.min(MOST, lesson.offsetHeight + body.scrollHeight - body.clientHeight);
    const more = room - lesson.offsetHeight;
    if (more <= 0) return;
    asked = { height: innerHeight + more, lesson: room };
    sendHeight(asked.height);
  };
  const resized = () => {
    if (innerHeight >= asked.height) style.setProperty('--lesson-room', `${asked.lesson}px`);
    else style.removeProperty('--lesson-room');
  };
  const sizes = new ResizeObserver(measure);
  sizes.observe(body);
  const changes = new MutationObserver(measure);
  changes.observe(body, { subtree: true, childList: true, characterData: true, attributes: true });
  addEventListener('resize', resized);
  return () => {
    sizes.disconnect();
    changes.disconnect();
    removeEventListener('resize', resized);
    style.removeProperty('--lesson-room');
  };
}
