// Draws small changes of meaning at random and reports those that no test notices:
//   npm run test:mutants -- --seed 7 --count 40 [--no-integration]
// A mutant meets its nearest unit and fuzz files, then the integration tests. The unchanged tests
// run first: where they fail, every mutant would count as killed. Results go to
// `.mutants/<seed>-<commit>.ndjson`; the same command continues an interrupted run. It changes
// sources in place and restores them, so it needs a clean tree.
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Mutation, mutationsOf } from './mutations.ts'
import { nearestTests } from './nearestTests.ts'

type Result = { file: string; line: number; kind: string; change: string; killedBy: string | null }

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '40' },
    'no-integration': { type: 'boolean', default: false },
  },
})
const testsMax = 30
// Most kills are in the nearest files, and a run of few files is quick.
const firstTests = 4
// An endless loop is a noticed mutant. Processor seconds do not depend on what else runs here.
const processorSMax = { ofFiles: 120, ofProject: 3_000 }
// Ends tests that wait for nothing, which Vitest could not end.
const testMsMax = 3_600_000
const unitProjects = ['unit', 'fuzz', 'security']
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' })

if (git('status', '--porcelain', 'packages').trim() !== '')
  throw new Error('packages/ has changes that are not committed; mutants need a clean tree.')

const files = git('ls-files', 'packages/*.ts', 'test/*.ts').trim().split('\n')
const sources = files.filter(isMutable).map((file) => [file, readFileSync(file, 'utf8')] as const)
const random = createRandom(Number(values.seed))
const log = `.mutants/${values.seed}-${git('rev-parse', '--short', 'HEAD').trim()}.ndjson`
mkdirSync('.mutants', { recursive: true })
if (!existsSync(log)) {
  requireGreenTests()
  writeFileSync(log, '')
}
const done = readFileSync(log, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((text): Result => JSON.parse(text))
process.on('SIGINT', () => process.exit(130))
process.on('exit', () => git('checkout', '--', 'packages'))

const results: Result[] = []
while (results.length < Number(values.count)) {
  const [file, source] = draw(sources, ([, text]) => text.split('\n').length)
  const mutations = mutationsOf(source)
  if (mutations.length === 0) continue
  const mutation = draw(mutations, () => 1)
  const earlier = done[results.length]
  const result = earlier ?? tryMutant(file, source, mutation)
  results.push(result)
  if (earlier === undefined) appendFileSync(log, `${JSON.stringify(result)}\n`)
  process.stdout.write(
    `${results.length}. ${result.killedBy ?? 'SURVIVED'}: ${result.file}:${result.line} ${result.kind}\n`,
  )
}
report(results)

function isMutable(file: string): boolean {
  return (
    /^packages\/(server|client|protocol|mcp)\/src\/.*\.ts$/.test(file) &&
    !/\.test\.ts$|\/presets\//.test(file) &&
    !readFileSync(file, 'utf8').slice(0, 300).includes('enerated')
  )
}

function requireGreenTests(): void {
  const failed = failing(unitProjects, null) ?? failingIntegration()
  if (failed !== null) throw new Error(`Without any mutant, a test fails already: ${failed}`)
}

function tryMutant(file: string, source: string, mutation: Mutation): Result {
  const { start, end, text, kind } = mutation
  writeFileSync(file, source.slice(0, start) + text + source.slice(end))
  const unit = nearestTests(file, files, testsMax).filter((path) =>
    /^packages\/|^test\/[^/]+\.test/.test(path),
  )
  const killedBy =
    failing(unitProjects, unit.slice(0, firstTests)) ??
    failing(unitProjects, unit.slice(firstTests)) ??
    failingIntegration()
  writeFileSync(file, source)
  const line = source.slice(0, start).split('\n').length
  const change = `${source.slice(start, end)} -> ${text}`.replaceAll('\n', ' ').slice(0, 160)
  return { file, line, kind, change, killedBy }
}

function failingIntegration(): string | null {
  if (values['no-integration']) return null
  if (spawnSync('npm', ['run', '--silent', 'build']).status !== 0) return 'build'
  return failing(['integration'], null)
}

/** The first failing test file; null if all pass. Without `paths`, all files of the projects. */
function failing(projects: readonly string[], paths: readonly string[] | null): string | null {
  if (paths?.length === 0) return null
  const limited = `ulimit -t ${paths ? processorSMax.ofFiles : processorSMax.ofProject}; exec npx "$0" "$@"`
  const args = [
    'vitest',
    'run',
    '--bail',
    '1',
    '--reporter',
    'json',
    ...projects.flatMap((name) => ['--project', name]),
  ]
  const { status, stdout, error } = spawnSync('bash', ['-c', limited, ...args, ...(paths ?? [])], {
    timeout: testMsMax,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (error !== undefined) return `${projects[0]}: no end`
  if (status === 0) return null
  const failed =
    /"status":"failed"[^}]*?"name":"([^"]+)"|"name":"([^"]+)"[^{}]*"status":"failed"/.exec(stdout)
  return `${projects[0]}: ${(failed?.[1] ?? failed?.[2] ?? 'a test').replace(`${process.cwd()}/`, '')}`
}

function report(all: readonly Result[]): void {
  const folderOf = ({ file }: Result) =>
    file.replace(/^packages\/(server\/src\/)?/, '').split('/')[0]!
  const lines = [...new Set(all.map(folderOf))].sort().map((folder) => {
    const own = all.filter((one) => folderOf(one) === folder)
    return `| ${folder} | ${own.length} | ${own.filter(({ killedBy }) => killedBy !== null).length} |`
  })
  const killed = all.filter(({ killedBy }) => killedBy !== null).length
  const survivors = all.filter(({ killedBy }) => killedBy === null)
  const table = [
    '| folder | mutants | killed |',
    '|---|---|---|',
    ...lines,
    `| all | ${all.length} | ${killed} |`,
  ]
  const rest = survivors.map(({ file, line, kind, change }) => `${file}:${line} ${kind}: ${change}`)
  process.stdout.write(`\n${[...table, '', 'Survivors:', ...rest].join('\n')}\n`)
}

function draw<item>(items: readonly item[], weightOf: (item: item) => number): item {
  let left = random() * items.reduce((sum, one) => sum + weightOf(one), 0)
  for (const one of items) {
    left -= weightOf(one)
    if (left < 0) return one
  }
  return items.at(-1)!
}

/** mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
