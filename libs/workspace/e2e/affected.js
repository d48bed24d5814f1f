// Prints what changes of files would affect, by Nx: for each file of the arguments the projects that `nx affected` selects, and
// the cached tasks that would run again. One process for all files: making the project graph takes seconds.
import { createProjectGraphAsync } from '@nx/devkit';
import { HashPlanInspector } from 'nx/src/hasher/hash-plan-inspector.js';
import { filterAffected } from 'nx/src/project-graph/affected/affected-project-graph.js';
import { WholeFileChange } from 'nx/src/project-graph/file-utils.js';

const main = async (files) => {
  const graph = await createProjectGraphAsync({ exitOnError: true });
  const inspector = new HashPlanInspector(graph);
  await inspector.init();
  const tasks = Object.entries(graph.nodes).flatMap(([project, { data }]) =>
    Object.entries(data.targets)
      .filter(([, { cache }]) => cache)
      .map(([target]) => {
        const name = `${project}:${target}`;
        const inputs = inspector.inspectTaskInputs({ project, target }, {}, {}, true)[name];
        return { name, files: new Set(inputs.files) };
      }),
  );
  const affected = {};
  for (const file of files) {
    const change = { file, hash: '', getChanges: () => [new WholeFileChange()] };
    const { nodes } = await filterAffected(graph, [change]);
    affected[file] = {
      projects: Object.keys(nodes).sort(),
      tasks: tasks
        .filter((task) => task.files.has(file))
        .map(({ name }) => name)
        .sort(),
    };
  }
  const edges = Object.keys(graph.nodes).map((from) => [
    from,
    graph.dependencies[from]
      .map(({ target }) => target)
      .filter((target) => graph.nodes[target])
      .sort(),
  ]);
  const targets = tasks.map(({ name }) => name);
  const roots = Object.fromEntries(Object.values(graph.nodes).map(({ name, data }) => [name, data.root]));
  process.stdout.write(JSON.stringify({ affected, edges: Object.fromEntries(edges), roots, targets }));
};
main(process.argv.slice(2)).then(() => process.exit(0));
