import { addNews } from '@workspace/release-catalogue';
import { required } from '../arguments.ts';
import { editCommand } from '../edit-command.ts';

export const addNewsCommand = editCommand({
  summary: 'add an item to the news of the feed, or change one',
  usage: `add-news <title> --link <url> --summary <text> [options]
  --category <word>     may be repeated
  --id <uri>            what feed readers know it by; default made of the title
  --replace             change the item with this id or title; feed readers fetch it again`,
  example: "add-news 'PHP 8.5 is out' --link https://php.example/8.5 --summary 'The first release of 8.5.'",
  subject: 'title',
  options: {
    link: { type: 'string' },
    summary: { type: 'string' },
    category: { type: 'string', multiple: true, default: [] },
    id: { type: 'string' },
    replace: { type: 'boolean', default: false },
  },
  read: (title, values, { now }) => {
    const link = required(values.link, '--link');
    const summary = required(values.summary, '--summary');
    const { category: categories, id, replace } = values;
    return (catalogue) => addNews(catalogue, { title, link, summary, categories, id, replace }, now);
  },
});
