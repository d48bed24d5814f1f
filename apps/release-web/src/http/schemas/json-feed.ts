import { type Static, Type } from '@sinclair/typebox';

const Instant = Type.String({ format: 'date-time' });
const Uri = Type.String({ format: 'uri' });

/** JSON Feed 1.1, https://www.jsonfeed.org/version/1.1/ */
export const JsonFeed = Type.Object(
  {
    version: Type.Literal('https://jsonfeed.org/version/1.1'),
    title: Type.String(),
    home_page_url: Uri,
    feed_url: Uri,
    icon: Uri,
    language: Type.String(),
    hubs: Type.Optional(Type.Array(Type.Object({ type: Type.Literal('WebSub'), url: Uri }))),
    authors: Type.Array(Type.Object({ name: Type.String(), url: Type.String() })),
    items: Type.Array(
      Type.Object({
        id: Type.String(),
        url: Uri,
        title: Type.String(),
        content_text: Type.String(),
        date_published: Instant,
        date_modified: Instant,
        tags: Type.Array(Type.String()),
        attachments: Type.Optional(
          Type.Array(Type.Object({ url: Uri, mime_type: Type.String(), title: Type.String() })),
        ),
        _release: Type.Optional(
          Type.Object({
            version: Type.String(),
            files: Type.Array(
              Type.Object({ filename: Type.String(), sha256: Type.Union([Type.String(), Type.Null()]) }),
            ),
          }),
        ),
      }),
    ),
  },
  { $id: 'JsonFeed' },
);
export type JsonFeed = Static<typeof JsonFeed>;
