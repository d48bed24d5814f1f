import DefaultTheme from 'vitepress/theme';
import { defineDiagram } from './diagram.js';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp: () => {
    if (!import.meta.env.SSR) defineDiagram(`${import.meta.env.BASE_URL}mermaid.js`);
  },
};
