import ts from 'typescript';

/** The counters of this thread, by number: how often each branch ran. */
const COUNTS = 'Symbol.for("fuzz counts")';
const NAME = '$fuzz';

/** Text to insert, by position. */
type Insertions = Map<number, { readonly closing: string[]; readonly opening: string[] }>;

const isLoop = (node: ts.Node): node is ts.IterationStatement => ts.isIterationStatement(node, false);
const SHORT_CIRCUITS = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);

/**
 * JavaScript with a counter in each branch: of functions, conditions, loops, cases and operators that may skip their right
 * side. V8's own coverage needs none of this, but takes six milliseconds to read in a process that has loaded a service,
 * a thousand times as long as a parser needs for an input.
 * @param number of the next counter
 */
export const instrumented = (source: string, number: () => number): string => {
  const file = ts.createSourceFile('source.js', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const insertions: Insertions = new Map();
  const at = (position: number) => {
    const here = insertions.get(position) ?? { closing: [], opening: [] };
    insertions.set(position, here);
    return here;
  };
  const count = (): string => `${NAME}[${number()}]++`;
  const wrap = (node: ts.Node, before: string, after: string): void => {
    at(node.getStart(file)).opening.push(before);
    // Of two nodes that end here, the inner one is visited later and closed first.
    at(node.getEnd()).closing.unshift(after);
  };
  const countExpression = (node: ts.Expression): void => wrap(node, `(${count()},(`, '))');
  const countStatement = (node: ts.Statement): void => {
    if (!ts.isBlock(node)) wrap(node, `{${count()};`, '}');
  };
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node)) at(node.getStart(file) + 1).opening.push(`${count()};`);
    else if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) countExpression(node.body);
    else if (ts.isCaseOrDefaultClause(node)) {
      const [first] = node.statements;
      if (first) at(first.getStart(file)).opening.push(`${count()};`);
    } else if (ts.isConditionalExpression(node)) {
      countExpression(node.whenTrue);
      countExpression(node.whenFalse);
    } else if (ts.isBinaryExpression(node) && SHORT_CIRCUITS.has(node.operatorToken.kind)) {
      countExpression(node.right);
    } else if (ts.isIfStatement(node)) {
      // First what is behind the statement that ends here too.
      if (node.elseStatement) countStatement(node.elseStatement);
      else at(node.getEnd()).closing.unshift(`else{${count()}}`);
      countStatement(node.thenStatement);
    } else if (isLoop(node)) countStatement(node.statement);
    ts.forEachChild(node, visit);
  };
  visit(file);
  let text = '';
  let copied = 0;
  for (const [position, { closing, opening }] of [...insertions].sort(([a], [b]) => a - b)) {
    text += source.slice(copied, position) + closing.join('') + opening.join('');
    copied = position;
  }
  return `const ${NAME}=globalThis[${COUNTS}];${text}${source.slice(copied)}`;
};
