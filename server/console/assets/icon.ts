/** The bell on the inn's counter. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1c5f4d"/><path d="M7.6 21.2a8.4 8.4 0 0 1 16.8 0z" fill="#f5c45e"/><rect x="6" y="22.8" width="20" height="2.4" rx="1.2" fill="#fff"/><path d="M16 12.6v-2.2M13.4 9.4h5.2" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>`;
