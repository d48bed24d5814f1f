import { basename } from 'node:path';
import type { Plugin } from 'vitepress';

type Replacement = readonly [from: string, to: string];

/** What assistive technology cannot use in VitePress's components, and what stands there instead. */
const REPLACEMENTS: Readonly<Record<string, readonly Replacement[]>> = {
  // The whole title of a group opens and closes it; the arrow in it is not another button.
  'VPSidebarItem.vue': [
    [`role="button"\n        aria-label="toggle section"`, ''],
    [`tabindex="0"\n      >\n        <span`, '>\n        <span'],
  ],
  // The search is a dialog, not a button, and what it finds are links, not options that have links in them.
  'VPLocalSearchBox.vue': [
    [
      `role="button"
      :aria-owns="results?.length ? 'localsearch-list' : undefined"
      aria-expanded="true"
      aria-haspopup="listbox"`,
      'role="dialog"\n      aria-modal="true"',
    ],
    [`:aria-activedescendant="selectedIndex > -1 ? ('localsearch-item-' + selectedIndex) : undefined"`, ''],
    ['aria-autocomplete="both"', ''],
    [`:role="results?.length ? 'listbox' : undefined"`, ''],
    [`:aria-selected="selectedIndex === index ? 'true' : 'false'"\n            role="option"`, ''],
    [`:aria-label="[...p.titles, p.title].join(' > ')"`, ''],
    ...['navigateUp', 'navigateDown', 'select', 'close'].map((key): Replacement => {
      const label = `:aria-label="translate('modal.footer.${key}KeyAriaLabel')"`;
      return [label, `role="img" ${label}`];
    }),
  ],
};

/** Repairs the default theme while it is built; fails when another version of VitePress has other components. */
export const accessibleTheme = (): Plugin => ({
  name: 'accessible-theme',
  enforce: 'pre',
  transform: (source, id) => {
    const replacements = REPLACEMENTS[basename(id)];
    return replacements && replaced(source, id, replacements);
  },
});

const replaced = (source: string, id: string, replacements: readonly Replacement[]): string =>
  replacements.reduce((text, [from, to]) => {
    if (text.split(from).length !== 2) throw new Error(`${id} does not have once what is replaced: ${from}`);
    return text.replace(from, to);
  }, source);
