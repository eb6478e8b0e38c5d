// A widget that plays the recording in its model, where `page` is the page of the player.
export default {
  render({ model, el }) {
    const [about, trace, title, height] = ['about', 'trace', 'title', 'height'].map((name) => model.get(name));
    el.replaceChildren(backscopeFrame(page, { about, trace, title, height }));
  },
};
