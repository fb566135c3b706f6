// The architecture as a table: a folder may import itself and the folders listed, and no other.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../packages/server/src')
const linesMax = 400

const stages = ['chain', 'decode', 'resolve', 'ledger', 'log', 'engine', 'store', 'risk', 'gateway']

const mayImport: Record<string, readonly string[]> = {
  lib: [],
  model: ['lib'],
  chain: ['lib', 'model'],
  decode: ['lib', 'model'],
  resolve: ['lib', 'model', 'chain'],
  ledger: ['lib', 'model'],
  log: ['lib', 'model'],
  engine: ['lib', 'model'],
  store: ['lib', 'model', 'log'],
  risk: ['lib', 'model', 'chain'],
  gateway: ['lib', 'model', 'engine', 'store', 'risk'],
  config: ['lib', 'model'],
  app: ['lib', 'model', 'config', ...stages],
  cli: ['lib', 'model', 'config', 'app', 'store'],
  '.': ['lib', 'cli'],
}

// What each ban is for, and what to write in its place.
const bans: readonly { pattern: RegExp; except: RegExp; instead: string }[] = [
  { pattern: /throw new Error\(/, except: /\.test\.ts$/, instead: 'throw an AppError with a code' },
  {
    pattern: /process\.env\b/,
    except: /^(config\/load\.ts|.*\.test\.ts)$/,
    instead: 'read the environment in config/load.ts and pass the value',
  },
  { pattern: /\b(FIXME|TODO|XXX)\b/, except: /^$/, instead: 'do it, or say it in docs/' },
  { pattern: /\.\.\/shared/, except: /^$/, instead: 'keep the fact in docs/ or in the code' },
]

const engineBans: readonly { pattern: RegExp; instead: string }[] = [
  { pattern: /Date\.now|new Date\(|performance\.now/, instead: 'take now as an argument' },
  { pattern: /Math\.random/, instead: 'nothing random: two engines must agree' },
  { pattern: /\bawait\b|\basync\b/, instead: 'keep the engine synchronous' },
  { pattern: /\bJSON\./, instead: 'encode in the gateway' },
  { pattern: /from 'node:(?!assert)/, instead: 'do I/O in another stage' },
]

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
)

function folderOf(path: string): string {
  const [first, ...rest] = path.split('/')
  return rest.length === 0 ? '.' : first!
}

/** Everything wrong with one source file, as sentences. */
function faultsOf(path: string, source: string): string[] {
  const faults: string[] = []
  if (source.split('\n').length > linesMax)
    faults.push(`${path} is over ${linesMax} lines, split it`)
  const folder = folderOf(path)
  for (const [, specifier] of source.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
    const target = folderOf(relative(root, join(root, dirname(path), specifier!)))
    // Tests may share support code that is not part of the product.
    if (target === '..' && path.endsWith('.test.ts')) continue
    if (target !== folder && !mayImport[folder]?.includes(target))
      faults.push(`${folder}/ must not import ${target}/ (in ${path})`)
  }
  for (const { pattern, except, instead } of bans)
    if (pattern.test(source) && !except.test(path)) faults.push(`${path}: ${pattern}: ${instead}`)
  if (folder === 'engine' && !path.endsWith('.test.ts'))
    for (const { pattern, instead } of engineBans)
      if (pattern.test(source)) faults.push(`${path}: ${pattern}: ${instead}`)
  return faults
}

test.each(files)('%s', (path) => {
  expect(faultsOf(path, readFileSync(join(root, path), 'utf8'))).toEqual([])
})

test('behavior: planted violations are found', () => {
  const plant = (path: string, source: string) => faultsOf(path, source)[0]
  expect(plant('chain/a.ts', `import { b } from '../engine/b.ts'`)).toBe(
    'chain/ must not import engine/ (in chain/a.ts)',
  )
  expect(plant('engine/a.ts', 'const t = Date.now()')).toContain('take now as an argument')
  expect(plant('store/a.ts', "throw new Error('x')")).toContain('AppError')
  expect(plant('lib/a.ts', '\n'.repeat(linesMax + 1))).toContain('split it')
})
