/** A JavaScript name, perhaps a path of names: nothing that could be a statement. */
const CALLBACK = /^[A-Za-z_$][\w$.]{0,63}$/;

export const isCallback = (text: string): boolean => CALLBACK.test(text);

/**
 * A script that calls `callback` with the JSON. The comment in front keeps the answer from being taken for another
 * format that begins with the callback's letters (Rosetta Flash, CVE-2014-4671); JSON's two line separators are
 * not JavaScript's (ES2018 and before).
 */
export const jsonp = (json: string, callback: string): string =>
  `/**/${callback}(${json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')});`;
