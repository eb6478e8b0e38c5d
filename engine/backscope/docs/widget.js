// A widget that plays the recording in its model, where `page` is the page of the player.
export default {
  render({ model, el }) {
    const names = ['about', 'trace', 'title', 'height', 'grows'];
    backscopePlay(el, page, Object.fromEntries(names.map((name) => [name, model.get(name)])));
  },
};
