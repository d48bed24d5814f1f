/**
 * The pages' script: copy buttons. Without it the pages are complete; the buttons are invisible until it runs, and
 * their room is kept, so that nothing moves.
 */
export const SCRIPT = `'use strict';
document.documentElement.classList.add('script');
document.addEventListener('click', async (event) => {
  const button = event.target.closest('button.copy');
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const copied = await copy(source);
  button.textContent = copied ? 'Copied' : 'Selected';
  document.getElementById('status').textContent = copied ? button.dataset.done : 'Selected. Press Ctrl+C to copy.';
  setTimeout(() => { button.textContent = 'Copy'; }, 2000);
});
const copy = async (source) => {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    // No clipboard without HTTPS: select the text, so that one key is enough.
    getSelection().selectAllChildren(source);
    return false;
  }
};
`;
