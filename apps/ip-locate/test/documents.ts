import { join } from 'node:path';
import { documentsOf } from '@workspace/testing';

export const PROJECT = join(__dirname, '..');

/** The README and the pages of its reference and of its options: their texts, by their path in the project. */
export const DOCUMENTS = documentsOf(PROJECT, ['docs/*.md', 'src/features/*/README.md']);

/** All of them, one after the other. */
export const DOCUMENTATION = [...DOCUMENTS.values()].join('\n');
