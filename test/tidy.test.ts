// Enforces the table of ARCHITECTURE.md: a folder may import only itself and the folders listed for
// it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import config from '../vitest.config.ts'

const root = resolve(import.meta.dirname, '../packages/server/src')
const linesMax = 400

/**
 * Folders of the server in the order of ARCHITECTURE.md's table, each with its permitted imports.
 */
const mayImport = readTable(
  readFileSync(resolve(import.meta.dirname, '../ARCHITECTURE.md'), 'utf8'),
)

function readTable(text: string): Map<string, readonly string[]> {
  const table = new Map<string, readonly string[]>()
  for (const [, folder, last] of text.matchAll(/^\| `(\w+)` \|.*\| ([^|]*) \|$/gm)) {
    const above = [...table.keys()]
    const names = last!.split(', ').flatMap((name) => (name === 'all folders above' ? above : name))
    table.set(folder!, names)
  }
  // The program's entry file only imports the command line.
  return table.set('.', ['lib', 'cli'])
}

// For each ban, the reason and the replacement.
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

// Block numbers of a chain may have gaps: the previous block is the parent, and the difference of
// two numbers is not a count of blocks.
const numberName = String.raw`(?:\b|(?<=_))(?:[a-z]\w*N|n)umber|\b(?:start|first|last|head|tip|from|to)Block\b`
const numberArithmetic: readonly RegExp[] = [
  new RegExp(
    String.raw`(?:${numberName})\b[)!\]]*(?: \?\? -?\w+\))?\s*(?:[-+]=?\s*[\w(#$]|\+\+|--)`,
  ),
  new RegExp(String.raw`[\w)\]!]\s+[-+]=?\s+\(?(?:[\w#]+[.!?]+)*(?:${numberName})\b(?!\()`),
]
const mayCountNumbers = /^(chain\/evm\/.*|model\/block\.ts|.*\.test\.ts)$/

function numberFaults(path: string, source: string): string[] {
  if (mayCountNumbers.test(path)) return []
  return source
    .split('\n')
    .filter((line) => !/^\s*(\/?\*|\/\/)/.test(line))
    .filter((line) => numberArithmetic.some((pattern) => pattern.test(line)))
    .map((line) => `${path}: "${line.trim()}": chains skip numbers, see model/block.ts`)
}

const engineBans: readonly { pattern: RegExp; instead: string }[] = [
  { pattern: /Date\.now|new Date\(|performance\.now/, instead: 'take now as an argument' },
  { pattern: /Math\.random/, instead: 'nothing random: two engines must agree' },
  { pattern: /\bawait\b|\basync\b/, instead: 'keep the engine synchronous' },
  { pattern: /\bJSON\./, instead: 'encode in the gateway' },
  { pattern: /from 'node:(?!assert)/, instead: 'do I/O in another stage' },
]

/** Folders and files shared by every kind of chain. Code of one family belongs under `evm/`. */
const neutralFolders: ReadonlySet<string> = new Set([
  ...['model', 'chain', 'decode', 'resolve', 'ledger', 'risk', 'kinds', 'app', 'ops'],
])
const evmWords = [
  ...['multicall', 'factories', 'hex', 'gas', 'selector', 'keccak', 'topic0', 'topics0', 'wei'],
  ...['bytecode', 'calldata', 'eth_\\w+', 'viem'],
]
// EVM words on their own and as parts of names: gasPrice, tradeGasMax, isHex.
const evmWord = new RegExp(
  `\\b(${evmWords.join('|')})(?![a-z])|(${evmWords.map(capitalised).join('|')})(?![a-z])`,
)
// Files that may use EVM words: the local chain is an EVM chain, and refusals of nodes are matched
// in their own words for every chain.
const isOfEvm = (path: string) => /(^|\/)evm\/|devnet\w*\.ts$|^chain\/errors\.ts$/i.test(path)

function capitalised(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1)
}

function evmFaults(path: string, source: string): string[] {
  if (!neutralFolders.has(folderOf(path)) || isOfEvm(path) || path.endsWith('.test.ts')) return []
  const found = evmWord.exec(source)
  return found ? [`${path}: "${found[0]}" is a word of the EVM: say it under evm/`] : []
}

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
)

function folderOf(path: string): string {
  const [first, ...rest] = path.split('/')
  return rest.length === 0 ? '.' : first!
}

const specifiers = /(?:[\s}]from|\bimport|\bimport\()\s*['"]([\w@./:-]+)['"]/g

/** Imports of a file: folders of the server, and packages by name. Modules of Node are omitted. */
function importsOf(path: string, source: string): string[] {
  return [...source.matchAll(specifiers)].flatMap(([, specifier]) => {
    if (specifier!.startsWith('.'))
      return folderOf(relative(root, join(root, dirname(path), specifier!)))
    if (specifier!.startsWith('node:')) return []
    const [scope, name] = specifier!.split('/')
    return scope === '@chaintape' ? name! : scope!.startsWith('@') ? `${scope}/${name}` : scope!
  })
}

function importFaults(path: string, source: string): string[] {
  const folder = folderOf(path)
  const isTest = path.endsWith('.test.ts')
  const isAllowed = (target: string) =>
    target === folder ||
    mayImport.get(folder)?.includes(target) === true ||
    // Tests may share support code that is not part of the product, and tools to inspect it.
    (isTest && !mayImport.has(target))
  return importsOf(path, source)
    .filter((target) => !isAllowed(target))
    .map((target) => `${folder}/ must not import ${target} (in ${path})`)
}

/** All faults of one source file, as sentences. */
function faultsOf(path: string, source: string): string[] {
  const faults = [...importFaults(path, source), ...evmFaults(path, source)]
  if (source.split('\n').length > linesMax)
    faults.push(`${path} is over ${linesMax} lines, split it`)
  for (const { pattern, except, instead } of bans)
    if (pattern.test(source) && !except.test(path)) faults.push(`${path}: ${pattern}: ${instead}`)
  if (folderOf(path) === 'engine' && !path.endsWith('.test.ts'))
    for (const { pattern, instead } of engineBans)
      if (pattern.test(source)) faults.push(`${path}: ${pattern}: ${instead}`)
  return [...faults, ...numberFaults(path, source)]
}

test('default: no file breaks a rule', () => {
  expect(files.flatMap((path) => faultsOf(path, readFileSync(join(root, path), 'utf8')))).toEqual(
    [],
  )
})

test('behavior: the oracle does not use the stages that it judges', () => {
  const oracle = resolve(import.meta.dirname, 'oracle')
  const paths = readdirSync(oracle, { recursive: true, encoding: 'utf8' })
  const imports = paths
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => readFileSync(join(oracle, path), 'utf8').split('\n'))
    // These types describe the answers that are judged.
    .filter(
      (line) => /^(import|\}).* from '.*packages\//.test(line) && !line.startsWith('import type'),
    )
  const isGround = (line: string) => /packages\/server\/src\/(lib|model)\//.test(line)
  expect(imports.length).toBeGreaterThan(0)
  expect(imports.filter((line) => !isGround(line))).toEqual([])
})

/** The first cycle of imports, including type imports. */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>()
  const walk = (path: string, way: readonly string[]): string[] | null => {
    const at = way.indexOf(path)
    if (at >= 0) return [...way.slice(at), path]
    if (done.has(path)) return null
    for (const next of imports.get(path) ?? []) {
      const circle = walk(next, [...way, path])
      if (circle !== null) return circle
    }
    done.add(path)
    return null
  }
  for (const path of imports.keys()) {
    const circle = walk(path, [])
    if (circle !== null) return circle
  }
  return null
}

/** Files of the server that a file imports. */
function filesImportedBy(path: string, source: string): string[] {
  return [...source.matchAll(specifiers)]
    .map(([, specifier]) => specifier!)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => join(dirname(path), specifier))
}

test('behavior: imports have no cycle', () => {
  const imports = files
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => [path, filesImportedBy(path, readFileSync(join(root, path), 'utf8'))] as const)
  expect(circleIn(new Map(imports))).toBeNull()
  const planted = new Map([
    ['a.ts', filesImportedBy('a.ts', `import type { B } from './b.ts'`)],
    ['b.ts', filesImportedBy('b.ts', `import { c } from './sub/c.ts'`)],
    ['sub/c.ts', filesImportedBy('sub/c.ts', `import { a } from '../a.ts'`)],
  ])
  expect(circleIn(planted)).toEqual(['a.ts', 'b.ts', 'sub/c.ts', 'a.ts'])
})

test('behavior: the table has every folder', () => {
  expect([...mayImport.keys()].toSorted()).toEqual([...new Set(files.map(folderOf))].toSorted())
  expect(mayImport.get('app')).toEqual(expect.arrayContaining(['lib', 'engine', 'config']))
})

test('behavior: the other packages do not import the server', () => {
  for (const name of ['devnet', 'protocol', 'client', 'mcp']) {
    const folder = resolve(root, `../../${name}/src`)
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      if (path.endsWith('.ts') && !path.endsWith('.test.ts'))
        for (const [, specifier] of readFileSync(join(folder, path), 'utf8').matchAll(specifiers))
          expect(`${path}: ${join(dirname(path), specifier!)}`).not.toMatch(
            /: \.\.|@chaintape\/server/,
          )
  }
})

test('behavior: planted violations are found', () => {
  const plant = (path: string, source: string) => faultsOf(path, source)[0]
  for (const line of [
    `import { b } from '../engine/b.ts'`,
    `import {\n  b,\n} from "../engine/b.ts"`,
    `import '../engine/b.ts'`,
    `const { b } = await import('../engine/b.ts')`,
    `export * from '../engine/b.ts'`,
  ])
    expect(plant('chain/a.ts', line)).toBe('chain/ must not import engine (in chain/a.ts)')
  expect(plant('engine/a.ts', `import { Client } from 'pg'`)).toContain('must not import pg')
  expect(plant('lib/a.ts', `import type { Row } from '@chaintape/protocol'`)).toContain('protocol')
  expect(plant('gateway/a.test.ts', `import { a } from '../chain/a.ts'`)).toContain('chain')
  expect(plant('engine/a.ts', 'const t = Date.now()')).toContain('take now as an argument')
  expect(plant('store/a.ts', "throw new Error('x')")).toContain('AppError')
  for (const line of ['// their factories', 'const tradeGasMax = 1', `rpc('eth_call')`, 'toHex(1)'])
    for (const folder of neutralFolders)
      expect(plant(`${folder}/a.ts`, line), `${folder}: ${line}`).toContain('a word of the EVM')
  expect(plant('resolve/evm/a.ts', 'const tradeGasMax = 1')).toBeUndefined()
  expect(plant('ledger/a.ts', 'const gasp = hexagon')).toBeUndefined()
  expect(plant('lib/a.ts', '\n'.repeat(linesMax + 1))).toContain('split it')
  for (const line of [
    'const parent = ref.number - 1',
    'const next = headNumber + 1',
    'if (head.number - number > 8) return',
    'const lag = tip - head.number',
    'const last = (head?.number ?? -1) + 1',
    'this.#revertedNumber += 1',
    'for (;;) blockNumber++',
    'const to = startBlock - 1',
    'refs.sort((a, b) => a.number - b.number)',
    'return `SELECT number - 1 FROM log`',
  ]) {
    expect(plant('gateway/a.ts', line)).toContain('chains skip numbers')
    expect(plant('chain/evm/a.ts', line)).toBe(undefined)
  }
  for (const line of [
    'const at = text.length - Number(text)',
    'const { number, hash } = ref',
    'if (a.number > b.number) return -1',
    '// The number - 1 in words.',
  ])
    expect(plant('gateway/a.ts', line)).toBe(undefined)
})

test('behavior: every test file below test/ belongs to a Vitest project', () => {
  const included = config.test!.projects!.flatMap((project) =>
    typeof project === 'object' && 'test' in project ? (project.test?.include ?? []) : [],
  )
  const folders = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join('test', dirname(path)))
  expect(folders).toContain('test/faults')
  expect(folders.filter((folder) => !included.includes(`${folder}/*.test.ts`))).toEqual([])
})

test('behavior: tests named in documents exist', () => {
  const repository = resolve(import.meta.dirname, '..')
  const missing = ['SECURITY.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'].flatMap((document) =>
    [...readFileSync(join(repository, document), 'utf8').matchAll(/`([\w./]+\.test\.ts)`/g)]
      .map(([, path]) => path!)
      .filter((path) => !existsSync(join(repository, path)) && !existsSync(join(root, path)))
      .map((path) => `${document}: ${path}`),
  )
  expect(missing).toEqual([])
})

// Words of an older dialect; docs/inside/glossary.md has the word to write instead.
const oldWords =
  /\b(untold|whoever|newborn|nobodies|anew|thereof|begun again|taken back|let go of|as good as|is none)\b/i
const commentColumnsMax = 100

/**
 * Faults of the comments of a file. A line that holds a link or a directive may be long, and so may
 * those of a generated file.
 */
function commentFaults(path: string, source: string): string[] {
  if (source.includes('by `npm run generate`; do not edit')) return []
  return source.split('\n').flatMap((line, at) => {
    if (!/^\s*(\/\/|\/?\*)/.test(line)) return []
    const isLong = line.length > commentColumnsMax && !/https?:|biome-ignore/.test(line)
    return [
      ...wordFaults(path, at, line),
      ...(isLong ? [`${path}:${at + 1}: wrap the comment at ${commentColumnsMax} columns`] : []),
    ]
  })
}

test('behavior: comments use the words of the glossary and end at column 100', () => {
  const repository = resolve(import.meta.dirname, '..')
  const packages = readdirSync(join(repository, 'packages')).map((name) => `packages/${name}/src`)
  const paths = [...packages, 'test', 'bench'].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !path.includes('fixtures'))
      .map((path) => join(folder, path)),
  )
  expect(paths.length).toBeGreaterThan(1_500)
  expect(
    paths.flatMap((path) => commentFaults(path, readFileSync(join(repository, path), 'utf8'))),
  ).toEqual([])
  expect(commentFaults('a.ts', '  // whoever asks')).toHaveLength(1)
  expect(commentFaults('a.ts', ` * ${'x '.repeat(60)}`)).toHaveLength(1)
  expect(commentFaults('a.ts', `const whoever = '${'x'.repeat(120)}'`)).toEqual([])
})

const documentColumnsMax = 120

/**
 * Faults of a Markdown page. Tables, code, links and generated pages may be long, and the glossary
 * lists old words.
 */
function documentFaults(path: string, text: string): string[] {
  const isGenerated = text.slice(0, 400).includes('npm run generate') || /config docs/.test(text)
  const prose = text.replace(/^( *)(```+)[\s\S]*?^\1\2/gm, (code) => code.replace(/[^\n]/g, ''))
  return prose.split('\n').flatMap((line, at) => {
    if (/^\||^ {4}|^#+ .*https?:/.test(line)) return wordFaults(path, at, line)
    const isLong = line.length > documentColumnsMax && !isGenerated && !/\]\(|https?:/.test(line)
    return [
      ...wordFaults(path, at, line),
      ...(isLong ? [`${path}:${at + 1}: wrap the line at ${documentColumnsMax} columns`] : []),
    ]
  })
}

function wordFaults(path: string, at: number, line: string): string[] {
  const word = path.endsWith('glossary.md') ? undefined : oldWords.exec(line)?.[0]
  return word === undefined ? [] : [`${path}:${at + 1}: "${word}": see docs/inside/glossary.md`]
}

test('behavior: documents use the words of the glossary and end at column 120', () => {
  const repository = resolve(import.meta.dirname, '..')
  const pages = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !/node_modules|\.vitepress/.test(path))
    .map((path) => join('docs', path))
  const paths = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', ...pages]
  expect(paths.length).toBeGreaterThan(40)
  expect(
    paths.flatMap((path) => documentFaults(path, readFileSync(join(repository, path), 'utf8'))),
  ).toEqual([])
  expect(documentFaults('a.md', 'whoever')).toHaveLength(1)
  expect(documentFaults('a.md', 'x '.repeat(70))).toHaveLength(1)
  expect(documentFaults('a.md', `| ${'x '.repeat(70)} |`)).toEqual([])
  expect(documentFaults('a.md', `\`\`\`sh\n${'x '.repeat(70)}\n\`\`\``)).toEqual([])
})

test('behavior: messages and texts of the product use the words of the glossary', () => {
  const repository = resolve(import.meta.dirname, '..')
  const packages = readdirSync(join(repository, 'packages')).map((name) => `packages/${name}/src`)
  const faults = packages.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !path.includes('.test.'))
      .flatMap((path) => {
        const lines = readFileSync(join(repository, folder, path), 'utf8').split('\n')
        return lines.flatMap((line, at) =>
          /['"`].*\s.*['"`]/.test(line) ? wordFaults(join(folder, path), at, line) : [],
        )
      }),
  )
  expect(faults).toEqual([])
})

/** Folders whose sub-folders import each other in cycles. */
const foldersWithCycles: readonly string[] = []

/** Sub-folders of a folder that can be reached from themselves by imports of other sub-folders. */
function subfoldersInCycles(folder: string, imports: readonly (readonly [string, string])[]) {
  const targets = new Map<string, Set<string>>()
  for (const [from, to] of imports) {
    const parts = [from, to].map((path) => path.split('/'))
    if (parts.some((part) => part[0] !== folder || part.length < 3)) continue
    const [here, there] = parts.map((part) => part[1]!)
    if (here !== there) targets.set(here!, (targets.get(here!) ?? new Set()).add(there!))
  }
  const isReachable = (start: string) => {
    const seen = new Set<string>()
    const left = [...(targets.get(start) ?? [])]
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (next === start) return true
      if (!seen.has(next)) left.push(...(targets.get(next) ?? []))
      seen.add(next)
    }
    return false
  }
  return [...targets.keys()].filter(isReachable).sort()
}

test('behavior: sub-folders of a folder do not import each other in a cycle', () => {
  const imports = files
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(specifiers)]
        .filter(([, specifier]) => specifier!.startsWith('.'))
        .map(([, specifier]) => [path, join(dirname(path), specifier!)] as const),
    )
  expect(imports.length).toBeGreaterThan(3_000)
  for (const folder of mayImport.keys())
    expect(subfoldersInCycles(folder, imports).length > 0, `sub-folders of ${folder}`).toBe(
      foldersWithCycles.includes(folder),
    )
  const planted = [...imports, ['engine/tables/rowTable.ts', 'engine/windows/windows.ts']] as const
  expect(subfoldersInCycles('engine', planted as never)).toContain('windows')
})
