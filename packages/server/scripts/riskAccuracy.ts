// How right the flags of contract risk are on published tokens: npx tsx
// packages/server/scripts/riskAccuracy.ts FOLDER Packages that are not in the folder yet are
// fetched from npm. Nothing of them is run.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AbiFunction } from 'viem'
import { readContract } from '../src/risk/evm/code/readContract.ts'
import { codeFlags } from '../src/risk/evm/contractFacts.ts'
import { evmCheckLimitsDefault } from '../src/risk/evm/evmCheckLimits.ts'
import type { CodeFlags } from '../src/risk/riskReport.ts'

const packages = [
  '@0x/contracts-erc20@3.3.57',
  '@aave/aave-token@1.0.4',
  '@aave/core-v3@1.19.3',
  '@aave/protocol-v2@1.0.1',
  '@axelar-network/axelar-cgp-solidity@6.4.0',
  '@graphprotocol/contracts@7.2.1',
  '@layerzerolabs/oft-evm@4.0.1',
  '@layerzerolabs/solidity-examples@1.1.0',
  '@openzeppelin/contracts@2.5.1',
  '@openzeppelin/contracts@3.4.2',
  '@openzeppelin/contracts@4.9.6',
  '@openzeppelin/contracts@5.0.2',
  '@openzeppelin/contracts-upgradeable@4.9.6',
  '@pooltogether/v4-core@1.3.1',
  '@superfluid-finance/ethereum-contracts@1.15.2',
  '@thirdweb-dev/contracts@3.15.0',
  '@uniswap/governance@1.0.2',
]

/**
 * Traits of a token by the names in its ABI, for any arguments: the check itself sees only
 * code.
 */
const labels: Readonly<Record<string, { flag: keyof CodeFlags; isNamed(name: string): boolean }>> =
  {
    has_mint_method: {
      flag: 'canMint',
      isNamed: (name) =>
        /mint(?!ed|Role|Info)|^issue/i.test(name) && !/^(renounce|remove|revoke|burn)/i.test(name),
    },
    transfer_pausable: {
      flag: 'canPause',
      isNamed: (name) => /^(pause|setPause|stop)/i.test(name),
    },
    has_black_method: {
      flag: 'canBlacklist',
      isNamed: (name) => /black|denyl|blockl|^freeze|^ban[A-Z]/i.test(name),
    },
    can_take_back_ownership: {
      flag: 'canTakeBackOwnership',
      isNamed: (name) => /^(reclaim|recover|restore|take|unlock).*owner/i.test(name),
    },
  }

type Published = { name: string; functions: readonly AbiFunction[]; code: string }

const tokenNames = ['transfer', 'transferFrom', 'balanceOf', 'totalSupply', 'allowance', 'approve']

function fetchPackage(folder: string, spec: string): string {
  const target = join(folder, spec.replaceAll('/', '+'))
  if (existsSync(target)) return target
  mkdirSync(target, { recursive: true })
  const options = { cwd: folder, encoding: 'utf8' as const }
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json', spec], options)) as [
    { filename: string },
  ]
  const file = join(folder, packed.filename)
  execFileSync('tar', ['xzf', file, '-C', target])
  rmSync(file)
  return target
}

/** Tokens among the artifacts of a package, as solc, truffle, hardhat and foundry write them. */
function* readTokens(folder: string): Generator<Published> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || !entry.name.endsWith('.json')) continue
    if (/test|mock|harness|example/i.test(path.slice(folder.length))) continue
    const text = readFileSync(path, 'utf8')
    if (!text.includes('"deployedBytecode"')) continue
    const { abi, deployedBytecode, contractName = entry.name } = JSON.parse(text)
    const code = typeof deployedBytecode === 'string' ? deployedBytecode : deployedBytecode?.object
    if (!Array.isArray(abi) || typeof code !== 'string' || code.length < 10) continue
    const functions = (abi as AbiFunction[]).filter(({ type }) => type === 'function')
    const names = new Set(functions.map(({ name }) => name))
    const isNft = names.has('ownerOf') || names.has('tokenURI')
    if (isNft || !tokenNames.every((name) => names.has(name))) continue
    // Places of libraries that are linked later.
    const linked = code.replace(/__.{38}/g, '0'.repeat(40)).toLowerCase()
    yield {
      name: contractName,
      functions,
      code: linked.startsWith('0x') ? linked : `0x${linked}`,
    }
  }
}

async function flagsOf(code: string): Promise<CodeFlags> {
  const limits = evmCheckLimitsDefault
  return codeFlags(
    await readContract(code, {
      stepsMax: limits.functionStepsMax,
      totalStepsMax: limits.codeStepsMax,
      constantsMax: limits.selectorsMax,
      visitsMax: 8,
    }),
  )
}

type Count = { right1: number; absent1: number; wrong1: string[] } & {
  right0: number
  absent0: number
  wrong0: string[]
}

async function run(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const counts = new Map<string, Count>()
  for (const field of Object.keys(labels))
    counts.set(field, { right1: 0, absent1: 0, wrong1: [], right0: 0, absent0: 0, wrong0: [] })
  const seen = new Set<string>()
  for (const spec of packages)
    for (const { name, functions, code } of readTokens(fetchPackage(folder, spec))) {
      // Without the hash of the source, which repeats code under another name.
      const digest = createHash('sha256').update(code.slice(0, -106)).digest('hex')
      if (seen.has(digest)) continue
      seen.add(digest)
      const flags = await flagsOf(code)
      for (const [field, { flag, isNamed }] of Object.entries(labels)) {
        const isMeant = functions.some(
          ({ name: called, stateMutability }) =>
            stateMutability !== 'view' && stateMutability !== 'pure' && isNamed(called),
        )
        tally(counts.get(field)!, isMeant, flags[flag], `${spec} ${name}`)
      }
    }
  print(seen.size, counts)
}

function tally(count: Count, isMeant: boolean, found: boolean | null, name: string): void {
  const [label, other] = isMeant ? ([1, 'wrong1'] as const) : ([0, 'wrong0'] as const)
  if (found === null) count[`absent${label}`] += 1
  else if (found === isMeant) count[`right${label}`] += 1
  else count[other].push(name)
}

function print(tokens: number, counts: ReadonlyMap<string, Count>): void {
  const lines = [
    `${tokens} tokens`,
    '| field | have it | found | absent | missed | have it not | ruled out | absent | false |',
    '|---|---|---|---|---|---|---|---|---|',
    ...[...counts].map(([field, { right1, absent1, wrong1, right0, absent0, wrong0 }]) =>
      [
        ...['', ` \`${field}\` `, right1 + absent1 + wrong1.length, right1, absent1, wrong1.length],
        ...[right0 + absent0 + wrong0.length, right0, absent0, wrong0.length, ''],
      ].join('|'),
    ),
    ...[...counts].flatMap(([field, { wrong1, wrong0 }]) => [
      ...wrong1.map((name) => `${field} missed: ${name}`),
      ...wrong0.map((name) => `${field} false: ${name}`),
    ]),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name a folder for the packages.')
await run(folder)
