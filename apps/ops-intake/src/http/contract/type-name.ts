/** `fx-orders.v2.1` as the name of a type in generated clients: `FxOrdersV2_1`. */
export const typeName = (name: string): string =>
  name
    .replace(/(^|[-.])([a-z])/g, (_match, _separator, letter: string) => letter.toUpperCase())
    .replaceAll('-', '')
    .replaceAll('.', '_');
