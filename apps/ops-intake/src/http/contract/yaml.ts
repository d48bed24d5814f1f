import { stringify } from 'yaml';

/** A document as YAML. A file of its own, so that the package is loaded when a document is first asked for. */
export const yamlOf = (document: object): string => stringify(document, { compat: 'yaml-1.1' });
