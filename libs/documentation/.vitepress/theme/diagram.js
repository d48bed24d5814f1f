let library;
/** Loads Mermaid, once, when a page shows the first diagram. */
const loadMermaid = (address) =>
  (library ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.onload = () => resolve(globalThis.mermaid);
    script.onerror = () => reject(new Error(`${address} cannot be loaded`));
    document.head.append(script);
  }));

/** The colours of the page; Mermaid's own dark theme has labels of too little contrast. */
const coloursOfPage = () => {
  const style = getComputedStyle(document.documentElement);
  const [background, node, text, line] = [
    '--vp-c-bg',
    '--vp-c-bg-soft',
    '--vp-c-text-1',
    '--vp-c-text-2',
  ].map((name) => style.getPropertyValue(name));
  return {
    background,
    primaryColor: node,
    primaryTextColor: text,
    primaryBorderColor: line,
    lineColor: line,
    textColor: text,
    edgeLabelBackground: background,
    transitionColor: line,
    transitionLabelColor: text,
    fontSize: '14px',
  };
};

let drawn = 0;

/**
 * `<mermaid-diagram>`: draws the text in it, in the colours of the page. Until that is done, and where it fails, the text is shown.
 * What is drawn is in a shadow tree, where styles of the page do not change it and Vue does not look for its own elements.
 */
export const defineDiagram = (address) => {
  class MermaidDiagram extends HTMLElement {
    connectedCallback() {
      const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
      root.innerHTML = '<slot></slot>';
      Object.assign(this, { role: 'figure', ariaLabel: 'Diagram', tabIndex: 0 });
      const colours = () => this.#draw(root).catch((error) => console.error(error));
      this.theme = new MutationObserver(colours);
      this.theme.observe(document.documentElement, { attributeFilter: ['class'] });
      void colours();
    }

    disconnectedCallback() {
      this.theme.disconnect();
    }

    async #draw(root) {
      const darkMode = document.documentElement.classList.contains('dark');
      const theme = darkMode ? 'dark' : 'light';
      if (root.host.dataset.theme === theme) return;
      root.host.dataset.theme = theme;
      const mermaid = await loadMermaid(address);
      mermaid.initialize({
        startOnLoad: false,
        theme: 'base',
        themeVariables: { darkMode, ...coloursOfPage() },
        fontFamily: getComputedStyle(this).fontFamily,
        // A wide diagram is scrolled, not made too small to read.
        flowchart: { useMaxWidth: false },
        state: { useMaxWidth: false },
      });
      const { svg } = await mermaid.render(`diagram-${++drawn}`, this.textContent.trim());
      // A later change of the theme may have been drawn first.
      if (root.host.dataset.theme === theme) root.innerHTML = svg;
    }
  }
  customElements.define('mermaid-diagram', MermaidDiagram);
};
