/** The script of the reference page: sends the requests of its forms, and copies examples. The page can be read without it. */
export const REFERENCE_SCRIPT = `'use strict';
document.documentElement.classList.add('script');
addEventListener('DOMContentLoaded', () => {
  const base = new URL(document.body.dataset.root, location.href).href.replace(/\\/$/, '');
  for (const { firstChild } of document.querySelectorAll('.sample code')) {
    firstChild.data = firstChild.data.replace(document.body.dataset.example, base);
  }

  // Browsers that do not open what a fragment leads to.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const details = target?.closest('details:not([open])');
    if (details) details.open = true, target.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  reveal();

  const filter = document.getElementById('page-filter');
  filter.addEventListener('input', () => {
    const words = filter.value.toLowerCase().split(' ');
    const operations = [...document.querySelectorAll('.operation')];
    for (const operation of operations) {
      const text = operation.firstElementChild.textContent.toLowerCase();
      operation.hidden = !words.every((word) => text.includes(word));
      const { id } = operation.lastElementChild;
      document.querySelector('#page-contents [href="#' + CSS.escape(id) + '"]').parentNode.hidden = operation.hidden;
    }
    const found = operations.filter((operation) => !operation.hidden).length;
    filter.nextElementSibling.textContent = filter.value ? found + ' of ' + operations.length : '';
  });

  // An address of the reference that was here before: #/tag/operation.
  const [, , before] = location.hash.split('/');
  if (before) location.replace('#' + before);

  const requestOf = (form) => {
    let path = form.dataset.path;
    let body;
    const query = new URLSearchParams();
    const headers = new Headers();
    for (const { name, value, dataset } of form.elements) {
      if (value === '') continue;
      if (dataset.in === 'path') path = path.replace('{' + name + '}', encodeURIComponent(value));
      if (dataset.in === 'query') query.append(name, value);
      if (dataset.in === 'header') headers.set(name, (dataset.prefix ?? '') + value);
      if (dataset.in === 'body') body = value;
    }
    if (body === undefined) headers.delete('content-type');
    const search = query.size > 0 ? '?' + query : '';
    return [base + path + search, { method: form.dataset.method, headers, body, redirect: 'manual' }];
  };

  /** JSON with line breaks; its numbers keep all their digits, where the browser can. */
  const indented = (text) => {
    try {
      const keep = (_, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value);
      return JSON.stringify(JSON.parse(text, keep), null, 2);
    } catch {
      return text;
    }
  };

  const send = async (form) => {
    const show = (status, headers = '', answer = '') => {
      form.querySelector('.status').textContent = status;
      form.querySelector('.headers').textContent = headers;
      form.querySelector('.answer').textContent = answer;
    };
    show('Sending …');
    try {
      const began = performance.now();
      const answer = await fetch(...requestOf(form));
      if (answer.type === 'opaqueredirect') return show('A redirect. Browsers do not tell scripts where to: use curl -i.');
      const text = await answer.text();
      const headers = [...answer.headers].map(([name, value]) => name + ': ' + value).join('\\n');
      const time = Math.round(performance.now() - began);
      show((answer.status + ' ' + answer.statusText).trim() + ' in ' + time + ' ms', headers, indented(text));
    } catch (error) {
      show('No answer: ' + error.message);
    }
  };
  addEventListener('submit', (event) => {
    event.preventDefault();
    void send(event.target);
  });

  const contents = document.getElementById('page-contents');
  contents.addEventListener('click', () => contents.matches(':popover-open') && contents.hidePopover());

  addEventListener('click', async ({ target }) => {
    if (!target.matches('.copy')) return;
    const listing = target.closest('.sample').querySelector('code');
    getSelection().selectAllChildren(listing);
    try {
      await navigator.clipboard.writeText(listing.textContent);
      target.textContent = 'Copied';
    } catch {
      // Only pages of HTTPS or this machine may write to the clipboard: the text is selected at least.
      target.textContent = 'Selected';
    }
  });
});
`;
