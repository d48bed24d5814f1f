/** A JavaScript identifier, or a path of them: nothing that could be a statement. */
const CALLBACK = /^[A-Za-z_$][\w$.]{0,63}$/;

export const isCallback = (text: string): boolean => CALLBACK.test(text);

/**
 * A script that calls `callback` with the JSON. The leading comment keeps browsers from taking the answer for another
 * format that starts with the callback's letters (Rosetta Flash, CVE-2014-4671). Two line separators are valid in JSON
 * strings but not in JavaScript before ES2019.
 */
export const jsonp = (json: string, callback: string): string =>
  `/**/${callback}(${json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')});`;
