import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { recordedTransactions } from '../../../../../test/support/solana/recorded.ts'
import { GeneratedChain } from '../../../../devnet/src/solana/generatedChain.ts'
import { extension, metadataBytes, mintBytes } from '../../../../devnet/src/solana/mintBytes.ts'
import { solanaProfile } from '../../../../devnet/src/solana/solanaProfile.ts'
import { startSolanaRpc } from '../../../../devnet/src/solana/solanaRpcServer.ts'
import { keyOf, tokenProgram } from '../../../../devnet/src/solana/transactionBuilder.ts'
import { token2022Program, usdc, wrappedSol } from '../../../../devnet/src/solana/world.ts'
import { readMint } from '../../chain/solana/accounts.ts'
import { createSolanaRpc } from '../../chain/solana/solanaRpc.ts'
import { decodeBase58 } from '../../lib/bytes/base58.ts'
import { createLogger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import { knownSolanaVenues as venues } from '../../venues/solana/venues.ts'
import { planDiscoveredPair } from '../blockPlan.ts'
import { createScanProgress } from '../chainReader.ts'
import { metadataAddressOf, readMetadataAccount, readNameExtension } from './mintMetadata.ts'
import { createSolanaReader } from './solanaReader.ts'

const limits = { nameCharsMax: 20, symbolCharsMax: 5 }
const raydium = { address: 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C', venue: 'raydiumCpmm' }
const profile = {
  venues: [{ ...raydium, amm: 'raydiumcpmm' }],
  quotes: [usdc, wrappedSol],
  native: { wrappedToken: wrappedSol },
} as unknown as ChainProfile

const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

async function open() {
  const chain = new GeneratedChain({ seed: 5, startTimeS: 1_790_000_000, transactions: 6 })
  chain.mine(20)
  const server = await startSolanaRpc(() => chain)
  const rpc = createSolanaRpc({
    endpoints: [{ httpUrl: server.url }],
    timeoutMs: 20_000,
    hedgeAfterMs: 20_000,
    batchSizeMax: 10,
    logger: createLogger('silent'),
  })
  stops.push(() => rpc.close(), server.stop)
  const sharedOwners = new Set(solanaProfile.sharedOwners)
  const reader = createSolanaReader({ profile, rpc, venues, holders: rpc, sharedOwners })
  return { chain, server, rpc, reader }
}

test('default: mints of both token programs are read with their names', async () => {
  const { chain, reader } = await open()
  const { mints } = chain.world
  const addresses = [...mints.keys(), keyOf('nobody')]
  const at = { number: chain.head.slot, hash: chain.head.blockhash }
  const answers = await reader.readTokens(addresses, at, true)
  const programs = new Set<string>()
  for (const [i, { name, symbol, decimals, supply, program }] of [...mints.values()].entries()) {
    programs.add(program)
    expect(answers[i]).toEqual({ name, symbol, decimals, totalSupply: supply, isUnreadable: false })
  }
  expect(programs).toEqual(new Set([tokenProgram, token2022Program]))
  expect(answers.at(-1)).toMatchObject({ isUnreadable: true, totalSupply: null })
  // Nodes do not know the supply as of an older block.
  const [older] = await reader.readTokens([usdc], at, false)
  expect(older).toMatchObject({ symbol: 'USDC', totalSupply: null })
  const [wallet, lamports] = [...chain.world.lamports][0]!
  expect(await reader.readNatives([wallet, keyOf('nobody')], at)).toEqual([lamports, 0n])
})

test("behavior: a pool is identified by its program's trade and trusted if the program is", async () => {
  const { chain, reader } = await open()
  const at = { number: chain.head.slot, hash: chain.head.blockhash }
  const tokens = [usdc, wrappedSol] as const
  const query = { key: 'pool', pool: 'pool', venues: ['raydiumCpmm'], tokens }
  const [known, stranger, untold] = await reader.readPools(
    [query, { ...query, venues: ['orcaWhirlpool'] }, { ...query, tokens: undefined }],
    at,
  )
  expect(known).toMatchObject({ token0: usdc, token1: wrappedSol, factory: raydium.address })
  expect([known?.isConfirmed, stranger?.isConfirmed, untold]).toEqual([true, false, null])
})

test('behavior: each token pair of a pool with many tokens has its own address', async () => {
  const { chain, reader } = await open()
  const [pool, coin] = ['pool', 'coin'].map(keyOf) as [string, string]
  const couples = [
    [usdc, wrappedSol],
    [usdc, coin],
  ] as const
  const keys = couples.map((couple) => reader.coupleIdOf(pool, couple))
  expect(new Set([...keys, pool]).size).toBe(3)
  for (const key of keys) expect(decodeBase58(key)).toHaveLength(32)
  const queries = couples.map((couple, i) => {
    return { key: keys[i]!, pool, venues: ['aquifer'], tokens: couple, couple }
  })
  const at = { number: chain.head.slot, hash: chain.head.blockhash }
  const answers = await reader.readPools(queries, at)
  const plans = answers.map((answer, i) => planDiscoveredPair(queries[i]!, answer!, profile))
  expect(
    plans.map(({ address, pool: of, token0, token1 }) => [address, of, token0, token1]),
  ).toEqual(couples.map((couple, i) => [keys[i], pool, ...couple]))
})

test('behavior: holders are read as of a slot, vaults of shared owners separately, if nodes allow it', async () => {
  const { chain, server, rpc, reader } = await open()
  const { mints, accounts } = chain.world
  const query = {
    to: { number: chain.head.slot, hash: '' },
    logsMax: 9,
    walletsMax: 1_000,
    signal: new AbortController().signal,
    progress: createScanProgress(),
    onProgress: async () => {},
  }
  const shared = new Set<string>(solanaProfile.sharedOwners)
  for (const mint of mints.keys()) {
    if (mint === usdc || mint === wrappedSol) continue
    const balances = new Map<string, bigint>()
    for (const [account, { mint: of, owner, amount }] of accounts) {
      const holder = shared.has(owner) ? account : owner
      if (of === mint && amount > 0n) balances.set(holder, (balances.get(holder) ?? 0n) + amount)
    }
    const told = await reader.readHistory({ ...query, token: mint })
    expect(told).toMatchObject({ asOf: chain.head.slot, balances })
    const few = { ...query, token: mint, walletsMax: balances.size - 1 }
    if (balances.size > 0) expect(await reader.readHistory(few)).toBeNull()
  }
  const refused = { code: 'RESOLVE_HISTORY_REFUSED' }
  await expect(reader.readHistory({ ...query, token: usdc })).rejects.toMatchObject(refused)
  await expect(reader.readHistory({ ...query, token: keyOf('x') })).rejects.toMatchObject(refused)
  const [coin = ''] = [...mints.keys()].filter((mint) => mint !== usdc && mint !== wrappedSol)
  const silent = createSolanaReader({ profile, rpc, venues })
  await expect(silent.readHistory({ ...query, token: coin })).rejects.toMatchObject(refused)
  server.refuse('getProgramAccounts', { code: -32_010, message: 'excluded from indexes' }, 100)
  await expect(reader.readHistory({ ...query, token: coin })).rejects.toMatchObject(refused)
})

test('behavior: holders and supply of tokens with confidential transfers are not reported', async () => {
  const coin = keyOf('hidden')
  const mint = {
    decimals: 3,
    supply: 9n,
    mintAuthority: null,
    freezeAuthority: null,
    name: 'Hidden',
    symbol: 'HID',
    program: token2022Program,
  }
  const open = (extensions: readonly Buffer[]) => {
    const data = [mintBytes(coin, mint, extensions).toString('base64'), 'base64']
    const value = [{ owner: token2022Program, lamports: 1, data }, null]
    const rpc = {
      requestBatch: async () => [{ ok: true, value: { value }, endpoint: 0 }],
      request: async (method: string) => (method === 'getSlot' ? 100 : { context: {}, value: [] }),
      supports: () => true,
    } as unknown as ReturnType<typeof createSolanaRpc>
    return createSolanaReader({ profile, rpc, venues, holders: rpc })
  }
  const at = { number: 100, hash: '' }
  const query = {
    to: at,
    token: coin,
    logsMax: 9,
    walletsMax: 1_000,
    signal: new AbortController().signal,
    progress: createScanProgress(),
    onProgress: async () => {},
  }
  const [transfers, supply] = [4, 24].map((type) => extension(type, Buffer.alloc(65)))
  for (const reader of [open([transfers!]), open([transfers!, supply!])])
    await expect(reader.readHistory(query)).rejects.toMatchObject({
      cause: 'Balances of this token may be confidential',
    })
  const told = async (reader: ReturnType<typeof open>) => [
    (await reader.readTotals([coin], at))[0],
    (await reader.readTokens([coin], at, true))[0]!.totalSupply,
  ]
  expect(await told(open([transfers!]))).toEqual([9n, 9n])
  expect(await told(open([transfers!, supply!]))).toEqual([null, null])
})

test('behavior: the metadata address matches the one real launches wrote to', () => {
  let compared = 0
  for (const { transaction } of recordedTransactions().values()) {
    const { accountKeys, instructions } = transaction.message
    for (const { data, accounts } of instructions) {
      // In pump.fun's create instruction, account 0 is the mint and account 6 its metadata.
      if (decodeBase58(data as string)?.toString('hex', 0, 8) !== '181ec828051c0777') continue
      compared++
      expect(metadataAddressOf(accountKeys[accounts[0]!]!)).toBe(accountKeys[accounts[6]!])
    }
  }
  expect(compared).toBeGreaterThan(0)
})

test('behavior: untrusted texts are cut and cleaned, whatever length the account claims', () => {
  const hostile = { name: 'A\u202e long name that never ends', symbol: 'S\u0000YMBOL' }
  const metadata = metadataBytes(usdc, hostile)
  expect(readMetadataAccount(metadata, limits)).toEqual({
    name: 'A long name that nev',
    symbol: 'SYMBO',
  })
  metadata.writeUInt32LE(4_000_000_000, 65)
  expect(readMetadataAccount(metadata, limits)).toBeNull()
  const mint = {
    decimals: 3,
    supply: 9n,
    mintAuthority: keyOf('who'),
    freezeAuthority: null,
    ...hostile,
    program: token2022Program,
  }
  const owner = token2022Program
  const bytes = mintBytes(usdc, mint, [extension(12, Buffer.alloc(32, 1))])
  const read = readMint({ owner, lamports: 1, data: bytes })!
  expect(read).toMatchObject({
    mintAuthority: expect.any(String),
    freezeAuthority: null,
    supply: 9n,
  })
  expect([...read.extensions.keys()]).toEqual([18, 19, 12])
  expect(readNameExtension(read, limits)?.symbol).toBe('SYMBO')
  fc.assert(
    fc.property(fc.nat(bytes.length), fc.uint8Array({ maxLength: 40 }), (length, noise) => {
      const data = Buffer.concat([bytes.subarray(0, length), noise])
      const damaged = readMint({ owner, lamports: 1, data })
      if (damaged !== null) readNameExtension(damaged, limits)
      readMetadataAccount(Buffer.concat([Buffer.from([4]), data]), limits)
    }),
  )
})
