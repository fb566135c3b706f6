// Writes docs/reference/cli.md from the commands and docs/reference/metrics.md from the metrics.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CliContext } from '../src/cli/context.ts'
import { createProgram } from '../src/cli/runCli.ts'
import { createMetrics } from '../src/lib/metrics.ts'

const folder = resolve(import.meta.dirname, '../../../docs/reference')

const cliIntroduction = `# Command line

Generated from the commands by \`npm run generate\`; do not edit. In a clone, run a command as
\`npx --no-install chaintape ...\`.

Exit codes: 0 success, 1 failure, 2 wrong command line, 75 failure that a later attempt may not have. Errors go to
standard error with a code that [Errors](errors.md#of-the-program) explains. Settings of the
[configuration](config.md) with a flag can also be set by environment variable.
`

/** Content of docs/reference/cli.md. */
export async function cliDocs(): Promise<string> {
  const silent = { writeOut: () => undefined, writeErr: () => undefined }
  // Help texts only need the version; no command runs.
  const program = await createProgram({ version: '' } as CliContext, silent)
  const sections = program.commands.flatMap((command) => {
    const parts = command.commands.map((part) => helpOf(`${command.name()} ${part.name()}`, part))
    return parts.length > 0 ? parts : [helpOf(command.name(), command)]
  })
  return [cliIntroduction, ...sections].join('\n')
}

function helpOf(name: string, command: { helpInformation(): string }): string {
  return `## ${name}\n\n\`\`\`text\n${command.helpInformation().trim()}\n\`\`\`\n`
}

const metricsIntroduction = `# Metrics

Generated from the metrics of the service by \`npm run generate\`; do not edit. \`/metrics\` serves them in the Prometheus
format, together with the default metrics of Node.js. [Ports](../operate/install.md#ports) says who may read them,
[Watching it](../operate/operating.md#watching-it) which of them matter, and \`deploy/\` has alerts and a dashboard.

\`endpoint\` is the index in \`rpc\` of the chain, from 0. \`use\` is \`index\` for calls that indexing needs and \`answers\`
for calls that API requests need.

| metric | type | labels | meaning |
|---|---|---|---|
`

/** Content of docs/reference/metrics.md. */
export async function metricsDocs(): Promise<string> {
  const { registry } = createMetrics()
  const metrics = await registry.getMetricsAsJSON()
  const rows = metrics
    .filter(({ name }) => name.startsWith('chaintape_'))
    .map(({ name, type, help }) => {
      const { labelNames = [] } = registry.getSingleMetric(name) as { labelNames?: string[] }
      const labels = labelNames.map((label) => `\`${label}\``).join(', ')
      return `| \`${name}\` | ${type} | ${labels} | ${help} |`
    })
  return `${metricsIntroduction}${rows.toSorted().join('\n')}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(resolve(folder, 'cli.md'), await cliDocs())
  writeFileSync(resolve(folder, 'metrics.md'), await metricsDocs())
}
