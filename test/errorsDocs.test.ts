// docs/reference/errors.md must list exactly the error codes of the API and of the program.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { errorSpecs } from '../packages/protocol/src/errors.ts'

const root = resolve(import.meta.dirname, '..')
const [, wireDocs, programDocs] = readFileSync(
  join(root, 'docs/reference/errors.md'),
  'utf8',
).split('\n## ')

function rowsOf(markdown: string): string[][] {
  const lines = markdown.split('\n').filter((line) => line.startsWith('| `'))
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

test('behavior: the documented API errors equal those of the service', () => {
  const inSource = Object.entries(errorSpecs).map(([code, spec]) => [
    `\`${code}\``,
    String(spec.httpStatus),
    String(spec.rpcCode),
    spec.retryable ? 'yes' : 'no',
    spec.meaning,
  ])
  expect(rowsOf(wireDocs!)).toEqual(inSource)
})

test('behavior: the documented program errors equal those that the code throws', () => {
  const src = join(root, 'packages/server/src')
  const thrown = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) => [
      ...readFileSync(join(src, path), 'utf8').matchAll(
        /(?:\bsuper|new AppError)\(\s*'([A-Z][A-Z0-9_]+)'/g,
      ),
    ])
    .map(([, code]) => code!)
  expect(thrown.length).toBeGreaterThan(0)
  const documented = rowsOf(programDocs!).map(([code]) => code!.replaceAll('`', ''))
  expect(documented).toEqual([...new Set(thrown)].sort())
})

test('behavior: every row has a meaning', () => {
  for (const row of [...rowsOf(wireDocs!), ...rowsOf(programDocs!)])
    expect(row.at(-1), row[0]).toMatch(/^[A-Z`].*\.$/)
})
