import { killServices, startBuiltService } from '@workspace/testing';

/** What each service says of itself, by path. */
const DOCUMENTS: Readonly<Record<string, readonly string[]>> = {
  'release-web': ['openapi.json', 'openapi.yaml'],
  'ops-intake': ['openapi.json', 'openapi.yaml', 'asyncapi.json', 'asyncapi.yaml'],
  'ip-locate': ['openapi.json', 'openapi.yaml'],
};

/** Starts the built services with their default settings and asks them; the texts by `service/document`. */
export const serviceDocuments = async (): Promise<ReadonlyMap<string, string>> => {
  try {
    const texts = Object.entries(DOCUMENTS).map(async ([app, documents]) => {
      const { url } = await startBuiltService(app);
      return Promise.all(
        documents.map(async (name) => {
          const answer = await fetch(`${url}/${name}`);
          if (!answer.ok) throw new Error(`${app} answers ${answer.status} to /${name}`);
          return [`${app}/${name}`, await answer.text()] as const;
        }),
      );
    });
    return new Map((await Promise.all(texts)).flat());
  } finally {
    await killServices();
  }
};
