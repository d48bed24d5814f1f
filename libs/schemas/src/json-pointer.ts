/**
 * One step of a JSON Pointer, with its slash (RFC 6901, section 3): `a/b` → `/a~1b`.
 * @param member name of an object's member, or index of an array's element
 */
export const pointerStep = (member: string | number): string =>
  `/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The same inside a URI fragment (RFC 6901, section 6), as `pointer` of a problem's errors has it: `#/0/unit%20cost`. */
export const fragmentStep = (member: string | number): string =>
  `/${encodeURIComponent(pointerStep(member).slice(1))}`;
