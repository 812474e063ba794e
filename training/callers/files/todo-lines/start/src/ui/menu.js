const items = [];
// TODO icons, TODO tooltips
export default items;
