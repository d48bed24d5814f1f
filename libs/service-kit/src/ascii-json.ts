/**
 * JSON in ASCII, everything beyond as `\uXXXX`: clients such as Apache's for Java read a media type that they do not know as
 * ISO-8859-1.
 */
export const asciiJson = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
