import { Type } from '@sinclair/typebox';
import { httpUrl } from '@workspace/service-process';
import { option } from '../../extension-points.ts';

/** Shows what each URL answers with, if it is another address than the page shows. Without an answer, nothing. */
const SCRIPT = `addEventListener('DOMContentLoaded', () => {
  const shown = document.querySelector('.lead code')?.textContent;
  for (const line of document.querySelectorAll('[data-url]')) {
    fetch(line.dataset.url, { headers: { accept: 'text/plain' } })
      .then((answer) => (answer.ok ? answer.text() : ''))
      .then((text) => {
        const address = text.trim();
        if (!/^[\\da-f.:]+$/.test(address) || address === shown) return;
        line.querySelector('code').textContent = address;
        line.hidden = false;
      }, () => undefined);
  }
})`;

/** The caller's IPv4 and IPv6 address, both on his page: hosts that only one family reaches say from where he asks them. */
export const bothFamilies = option({
  name: 'both-families',
  settings: {
    IPV4_URL: Type.Optional(httpUrl('address of this service that only IPv4 reaches', '?#')),
    IPV6_URL: Type.Optional(httpUrl('address of this service that only IPv6 reaches', '?#')),
  },
  open: ({ IPV4_URL, IPV6_URL }) => {
    const urls = [IPV4_URL, IPV6_URL].filter((url) => url !== undefined);
    return urls.length > 0 ? { otherAddresses: { urls, script: SCRIPT } } : undefined;
  },
});
