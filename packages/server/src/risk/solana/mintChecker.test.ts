import { expect, test } from 'vitest'
import { extension, mintBytes } from '../../../../devnet/src/solana/mintBytes.ts'
import { keyBytesOf, keyOf } from '../../../../devnet/src/solana/transactionBuilder.ts'
import { token2022Program } from '../../../../devnet/src/solana/world.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { nothingFound } from '../riskChecker.ts'
import { type CodeFlags, honeypotVerdict } from '../riskReport.ts'
import type { RiskSubject } from '../riskSubject.ts'
import { createMintChecker } from './mintChecker.ts'

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const address = keyOf('a mint')
const somebody = keyBytesOf(keyOf('somebody'))
const nobody = Buffer.alloc(32)
const profile = { burnAddresses: [], lockers: [] }
const subject = { address, pools: [], launch: null } as unknown as RiskSubject

type Given = {
  mintAuthority?: string
  freezeAuthority?: string
  extensions?: readonly Buffer[]
}

/** A node that has one account. */
async function check(given: Given | null, owner = token2022Program, epoch?: number) {
  const { mintAuthority = null, freezeAuthority = null, extensions = [] } = given ?? {}
  const named = { name: 'A coin', symbol: 'COIN', program: owner, decimals: 6, supply: 9n }
  const data = mintBytes(address, { ...named, mintAuthority, freezeAuthority }, extensions)
  const account = { owner, lamports: 1, data: [data.toString('base64'), 'base64'] }
  const value = { value: [given === null ? null : account] }
  const requestBatch = async () => [{ ok: true, value }]
  const request = async () => ({ epoch })
  const checker = createMintChecker({ rpc: { requestBatch, request } as unknown as Rpc, profile })
  return await checker.check(subject, new AbortController().signal)
}

test('default: a mint without authorities has no powers', async () => {
  for (const program of [token2022Program, tokenProgram]) {
    const { flags, owner, trade, hasCode, isProxy, transferFee } = await check({}, program)
    expect(transferFee).toBe(0)
    expect(Object.values(flags!).every((flag) => flag === false)).toBe(true)
    expect(owner).toMatchObject({ isRenounced: true, address: '1'.repeat(32) })
    expect([hasCode, isProxy, trade]).toEqual([true, false, null])
  }
})

test.each<[string, Given, Partial<CodeFlags>]>([
  ['mint authority', { mintAuthority: keyOf('maker') }, { canMint: true }],
  ['freeze authority', { freezeAuthority: keyOf('freezer') }, { canBlacklist: true }],
  [
    'accounts that begin frozen',
    { freezeAuthority: keyOf('freezer'), extensions: [extension(6, Buffer.of(2))] },
    { canBlacklist: true, canWhitelist: true },
  ],
  [
    'transfer fee',
    { extensions: [extension(1, Buffer.concat([somebody, Buffer.alloc(76)]))] },
    { canChangeTax: true },
  ],
  ['permanent delegate', { extensions: [extension(12, somebody)] }, { canChangeBalance: true }],
  [
    'interest',
    { extensions: [extension(10, Buffer.concat([somebody, Buffer.alloc(20)]))] },
    { canChangeBalance: true },
  ],
  ['close authority', { extensions: [extension(3, somebody)] }, { canSelfDestruct: true }],
  [
    'pause',
    { extensions: [extension(26, Buffer.concat([somebody, Buffer.of(0)]))] },
    { canPause: true },
  ],
  [
    'transfer hook',
    { extensions: [extension(14, Buffer.concat([nobody, somebody]))] },
    { callsOutside: true, seesContracts: true },
  ],
])('behavior: %s', async (_, given, expected) => {
  const { flags } = await check(given)
  const set = Object.entries(flags!).filter(([, flag]) => flag)
  expect(Object.fromEntries(set)).toEqual(expected)
})

test('behavior: revoked authorities give no power', async () => {
  const gone = [1, 3, 10, 12, 14, 26].map((type) => extension(type, Buffer.alloc(108)))
  const { flags } = await check({ extensions: gone })
  expect(Object.values(flags!).every((flag) => flag === false)).toBe(true)
})

type Fee = { fromEpoch: bigint; max: bigint; parts: number }

function feeConfig(older: Fee, newer: Fee): Buffer {
  const config = Buffer.alloc(108)
  for (const [at, { fromEpoch, max, parts }] of [
    [72, older],
    [90, newer],
  ] as const) {
    config.writeBigUInt64LE(fromEpoch, at)
    config.writeBigUInt64LE(max, at + 8)
    config.writeUInt16LE(parts, at + 16)
  }
  return config
}

const low = { fromEpoch: 3n, max: 10n ** 12n, parts: 250 }
const high = { fromEpoch: 900n, max: 10n ** 12n, parts: 6_000 }

test.each<[string, number | null, Fee, Fee, number | undefined]>([
  ['one fee', 0.025, low, low, undefined],
  ['the older one until its epoch is over', 0.025, low, high, 899],
  ['the newer one from its epoch on', 0.6, low, high, 900],
  ['none told where no node tells the epoch', null, low, high, undefined],
  ['nothing where nothing may be taken', 0, { ...low, max: 0n }, { ...high, max: 0n }, undefined],
])('behavior: what a mint withholds of a transfer: %s', async (_, fee, older, newer, epoch) => {
  const extensions = [extension(1, feeConfig(older, newer))]
  const findings = await check({ extensions }, token2022Program, epoch)
  expect(findings.transferFee).toBe(fee)
  // Who loses more than half by selling has bought a trap.
  expect(honeypotVerdict(findings)).toBe(fee === 0.6 ? true : null)
})

test('behavior: a non-transferable token cannot be sold', async () => {
  const { trade } = await check({ extensions: [extension(9, Buffer.alloc(0))] })
  expect(trade).toMatchObject({ canSell: false, canTransfer: false })
})

test('behavior: a missing account and one that is not a mint have no code', async () => {
  expect(await check(null)).toEqual({ ...nothingFound, hasCode: false })
  expect(await check({}, keyOf('another program'))).toEqual({ ...nothingFound, hasCode: false })
})
