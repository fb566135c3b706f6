// Swaps of every venue, written byte by byte from the layouts of the programs, are decoded exactly.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bytesOf,
  hex,
  keyOf,
  TransactionBuilder,
  u64,
} from '../../../../devnet/src/solana/transactionBuilder.ts'
import { decodeBase58 } from '../../lib/bytes/base58.ts'
import type { DecodedSwap } from '../../model/decodedBlock.ts'
import { solanaVenues } from '../../venues/solana/venues.ts'
import { decodeSolanaTransactions } from './decodeSolanaBlock.ts'

type Trade = {
  into: bigint
  out: bigint
  isIn0: boolean
  depth: number
  root: bigint
  isCut: boolean
}

/** Names of accounts in instruction order; `vault0` is the vault of the pool's first token. */
type Layout = {
  venue: string
  tag: string
  accounts: string
  event?(trade: Trade): { log?: Buffer; told?: Buffer; text?: string }
}

const root128 = (root: bigint) => u64(root, 0n)
const pool = 'pool'
const keyBytes = (word: string) => decodeBase58(keyOf(word))!
const swapTag = 'f8c69e91e17587c8'

const layouts: readonly Layout[] = [
  {
    venue: 'raydiumAmmV4',
    tag: '09',
    accounts:
      'token pool authority orders targets vault0 vault1 dex market bids asks queue base quote signer source target user',
  },
  {
    venue: 'raydiumAmmV4',
    tag: '0b',
    accounts:
      'token pool authority orders vault0 vault1 dex market bids asks queue base quote signer source target user',
  },
  {
    venue: 'raydiumAmmV4',
    tag: '10',
    accounts: 'token pool authority vault0 vault1 source target user',
    event: ({ into, out, isIn0 }) => {
      const sides = u64(isIn0 ? 2n : 1n, into, 10n ** 17n, 10n ** 16n, out)
      return {
        text: `ray_log: ${Buffer.concat([hex('03'), u64(into, 0n), sides]).toString('base64')}`,
      }
    },
  },
  {
    venue: 'raydiumCpmm',
    tag: '8fbe5adac41e33de',
    accounts:
      'user authority config pool source target vaultIn vaultOut p1 p2 mintIn mintOut observation',
  },
  {
    venue: 'raydiumClmm',
    tag: '2b04ed0b1ac91e62',
    accounts:
      'user config pool source target vaultIn vaultOut observation p1 p2 memo mintIn mintOut',
    event: ({ root }) => ({
      log: bytesOf(205, { 0: hex('40c6cde8260871e2'), 8: keyBytes(pool), 169: root128(root) }),
    }),
  },
  {
    venue: 'orcaWhirlpool',
    tag: swapTag,
    accounts: 'token user pool user0 vault0 user1 vault1 a1 a2 a3 oracle',
    event: ({ root }) => ({
      log: bytesOf(121, { 0: hex('e1ca49af932ba096'), 8: keyBytes(pool), 57: root128(root) }),
    }),
  },
  {
    venue: 'orcaWhirlpool',
    tag: '2b04ed0b1ac91e62',
    accounts: 'p1 p2 memo user pool mint0 mint1 user0 vault0 user1 vault1 a1 a2 a3 oracle',
    event: ({ root }) => ({
      log: bytesOf(121, { 0: hex('e1ca49af932ba096'), 8: keyBytes(pool), 57: root128(root) }),
    }),
  },
  {
    venue: 'meteoraDlmm',
    tag: '414b3f4ceb5b5b88',
    accounts:
      'pool bitmap vault0 vault1 source target mint0 mint1 oracle host user p1 p2 memo events program',
    event: () => ({ told: bytesOf(137, { 0: hex('516ce3becdd00ac4'), 8: keyBytes(pool) }) }),
  },
  {
    venue: 'meteoraDammV1',
    tag: swapTag,
    accounts: 'pool source target va vb vault0 vault1 la lb lpa lpb fee user',
  },
  {
    venue: 'meteoraDammV2',
    tag: '414b3f4ceb5b5b88',
    accounts: 'authority pool source target vault0 vault1 mint0 mint1 user p1 p2 referral events',
    event: ({ root }) => ({
      told: bytesOf(188, { 0: hex('bd4233a826507599'), 92: root128(root) }),
    }),
  },
  {
    venue: 'meteoraDbc',
    tag: swapTag,
    accounts:
      'authority config pool source target vault0 vault1 mint0 mint1 user p1 p2 referral events',
    event: ({ root }) => ({
      told: bytesOf(187, { 0: hex('bd4233a826507599'), 123: root128(root) }),
    }),
  },
  {
    venue: 'raydiumLaunchLab',
    tag: 'faea0d7bd59c13ec',
    accounts:
      'user authority global platform pool user0 user1 vault0 vault1 mint0 mint1 p1 p2 events',
  },
  {
    venue: 'humidiFi',
    tag: '',
    accounts: 'user pool vault0 vault1 user0 user1 clock p1',
  },
  {
    venue: 'phoenix',
    tag: '00',
    accounts: 'program log pool user user0 user1 vault0 vault1 p1',
  },
  ...clmmForks(),
  ...byTransfers(),
]

/** Programs forked from Raydium's concentrated pools. */
function clmmForks(): Layout[] {
  const accounts = 'user config pool source target vaultIn vaultOut observation p1'
  return ['pancakeClmm', 'byreal'].map((venue) => ({
    venue,
    tag: swapTag,
    accounts,
    event: ({ root }) => ({
      log: bytesOf(221, { 0: hex('40c6cde8260871e2'), 8: keyBytes(pool), 169: root128(root) }),
    }),
  }))
}

function byTransfers(): Layout[] {
  const quoted = 'user pool vault0 vault1 user0 user1 p1 p2'
  const older = 'pool authority user source vaultIn vaultOut target lp fee p1'
  const rest = 'source target vaultIn vaultOut mintIn mintOut p1 p2 memo'
  return [
    { venue: 'manifest', tag: '04', accounts: 'user pool system user0 user1 vault0 vault1 p1' },
    {
      venue: 'manifest',
      tag: '0d',
      accounts: 'payer user pool system user0 user1 vault0 vault1 p1',
    },
    { venue: 'tokenSwap', tag: '01', accounts: older },
    { venue: 'saber', tag: '01', accounts: older },
    {
      venue: 'invariant',
      tag: swapTag,
      accounts: 'state pool tickmap user0 user1 vault0 vault1 user authority p1',
    },
    {
      venue: 'heaven',
      tag: '66063d1201daebea',
      accounts: 'p1 p2 ata system pool user mint0 mint1 user0 user1 vault0 vault1 authority',
    },
    {
      venue: 'zeroFi',
      tag: '10',
      accounts: 'pool a b vaultIn c vaultOut source target user p1 p2 clock d e',
    },
    { venue: 'scorch', tag: '02', accounts: `authority user ${rest} prices a b c pool sysvar` },
    { venue: 'scorch', tag: '01', accounts: `authority user ${rest} pool` },
    ...['alphaQ', 'obsidian', 'flux', 'kipseli', 'goonFi', 'bisonFi'].map((venue) => ({
      venue,
      tag: '0c',
      accounts: quoted,
    })),
    { venue: 'saros', tag: '01', accounts: older },
    {
      venue: 'aldrinV2',
      tag: swapTag,
      accounts: 'pool authority lp vault0 vault1 fees user user0 user1 curve p1',
    },
    {
      venue: 'quantum',
      tag: '07',
      accounts: 'user source target pool vaultIn vaultOut global p1 p2 sysvar',
    },
    {
      venue: 'archer',
      tag: '0f',
      accounts: 'user pool fees mint0 mint1 vault0 vault1 user0 user1 p1 p2 book',
    },
    {
      venue: 'binaryFi',
      tag: '08',
      accounts: 'user config pool authority mint0 mint1 vault0 vault1 source target p1 p2 sysvar',
    },
    {
      venue: 'whaleStreet',
      tag: '2b04ed0b1ac91e62',
      accounts: 'pool source target vaultIn vaultOut user p1 p2',
    },
    {
      venue: 'sarosDlmm',
      tag: swapTag,
      accounts: 'pool mint0 mint1 bins0 bins1 vault0 vault1 user0 user1 user p1',
    },
    {
      venue: 'stabbleClmm',
      tag: '2b04ed0b1ac91e62',
      accounts: 'user config pool source target vaultIn vaultOut a p1',
    },
    {
      venue: 'cropper',
      tag: swapTag,
      accounts: 'p1 user pool user0 vault0 user1 vault1 a1 a2 a3 oracle',
    },
    {
      venue: 'bonkSwap',
      tag: swapTag,
      accounts: 'state pool mint0 mint1 vault0 vault1 user0 user1 user',
    },
    { venue: 'gavel', tag: '00', accounts: 'program log pool user user0 user1 vault0 vault1 p1' },
    {
      venue: 'perena',
      tag: '68688356a1bdb4d8',
      accounts: 'pool mintIn mintOut source target vaultIn vaultOut a user',
    },
    {
      venue: 'sanctumInfinity',
      tag: '01',
      accounts: 'user mintIn mintOut source target fees a b pool list vaultIn vaultOut',
    },
    {
      venue: 'metaDao',
      tag: 'a7610ce7ed4ea6fb',
      accounts: 'pool user0 user1 vault0 vault1 user p1',
    },
    {
      venue: 'omnipair',
      tag: swapTag,
      accounts: 'pool a b vaultIn vaultOut source target mintIn mintOut user p1',
    },
    {
      venue: 'oneDex',
      tag: '0897f54caccb9027',
      accounts: 'state pool authority vaultIn vaultOut user source target fee1 fee2 p1',
    },
    {
      venue: 'mercurial',
      tag: '04',
      accounts: 'pool p1 authority user vault0 vault1 source target',
    },
    {
      venue: 'gamma',
      tag: '8fbe5adac41e33de',
      accounts: `user authority config pool source target vaultIn vaultOut p1 p2 mintIn mintOut a`,
    },
    {
      venue: 'aldrin',
      tag: swapTag,
      accounts: 'pool authority lp vault0 vault1 fees user user0 user1 p1',
    },
    {
      venue: 'raydiumStable',
      tag: '09',
      accounts: 'p1 pool authority orders vault0 vault1 a b c d e f g h i source target user',
    },
    {
      venue: 'fusion',
      tag: swapTag,
      accounts: 'p1 p2 memo user pool mint0 mint1 user0 user1 vault0 vault1 a1 a2 a3',
    },
    {
      venue: 'aquifer',
      tag: '01',
      accounts: 'sysvar user p1 target mintOut p2 source mintIn dex pool a b c vaultOut d vaultIn',
    },
    { venue: 'exa6', tag: swapTag, accounts: 'user pool vault0 vault1 source target p1 sysvar' },
    {
      venue: 'deriverse',
      tag: '1a',
      accounts: 'user a b vault0 vault1 pool c d e f g user0 user1 p1 p2',
    },
  ]
}

function write(layout: Layout, trade: Trade) {
  const [mint0, mint1] = ['one', 'two'].map(keyOf).toSorted(compareKeys) as [string, string]
  const [sideIn, sideOut] = trade.isIn0 ? ['0', '1'] : ['1', '0']
  const words: Record<string, string> = {
    mint0,
    mint1,
    mintIn: trade.isIn0 ? mint0 : mint1,
    mintOut: trade.isIn0 ? mint1 : mint0,
    source: keyOf(`user${sideIn}`),
    target: keyOf(`user${sideOut}`),
    vaultIn: keyOf(`vault${sideIn}`),
    vaultOut: keyOf(`vault${sideOut}`),
  }
  const of = (word: string) => words[word] ?? keyOf(word)
  const builder = new TransactionBuilder(of('payer'), of('user'))
  for (const [side, mint] of [mint0, mint1].entries()) {
    builder.open(of(`user${side}`), mint, of('user'), 2n ** 63n)
    builder.open(of(`vault${side}`), mint, of(pool), 2n ** 63n)
  }
  const [program] = solanaVenues.find(({ name }) => name === layout.venue)!.programs
  const data = Buffer.concat([hex(layout.tag), u64(trade.into, 0n, 0n)])
  const run = (depth: number): void => {
    if (depth > 0) {
      builder.call(of(`router ${depth}`), [of('user')], hex('e517cb977ae3ad2a'), () =>
        run(depth - 1),
      )
      return
    }
    builder.call(program!, layout.accounts.split(' ').map(of), data, () => {
      builder.transfer(of(`user${sideIn}`), of(`vault${sideIn}`), of('user'), trade.into)
      builder.transfer(of(`vault${sideOut}`), of(`user${sideOut}`), of(pool), trade.out)
      const { log, told, text } = layout.event?.(trade) ?? {}
      if (log) builder.log(log)
      if (text) builder.logText(text)
      if (told) builder.tell(program!, told)
    })
  }
  run(trade.depth)
  return { transaction: builder.build({ logsMax: trade.isCut ? 1 : undefined }), of, mint0, mint1 }
}

const compareKeys = (one: string, other: string) =>
  Buffer.compare(decodeBase58(one)!, decodeBase58(other)!)

const amount = fc.bigInt({ min: 1n, max: 2n ** 62n })
const trades: fc.Arbitrary<Trade> = fc.record({
  into: amount,
  out: amount,
  isIn0: fc.boolean(),
  depth: fc.nat({ max: 3 }),
  root: fc.bigInt({ min: 2n ** 30n, max: 2n ** 64n - 1n }),
  isCut: fc.boolean(),
})

test.each(layouts)(
  'behavior: $venue $tag: amounts, pool, tokens and wallet of any swap',
  (layout) => {
    fc.assert(
      fc.property(trades, (drawn) => {
        // A curve sells by one instruction and buys by another.
        const trade = layout.venue === 'raydiumLaunchLab' ? { ...drawn, isIn0: false } : drawn
        const { transaction, of, mint0, mint1 } = write(layout, trade)
        const swaps = decodeSolanaTransactions([transaction]).filter(({ type }) => type === 'swap')
        const { into, out, isIn0, root, isCut } = trade
        const expected = {
          pool: of(pool),
          tokens: [mint0, mint1],
          venues: [layout.venue],
          wallet: of('user'),
          sender: of('user'),
          to: of('user'),
          amount0: isIn0 ? into : -out,
          amount1: isIn0 ? -out : into,
        }
        expect(swaps).toMatchObject([expected])
        const { log, told } = layout.event?.(trade) ?? {}
        if (layout.venue !== 'meteoraDlmm' && (told || (log && !isCut)))
          expect((swaps[0] as DecodedSwap).priceRaw).toBeCloseTo((Number(root) / 2 ** 64) ** 2, 12)
      }),
      { numRuns: 40 },
    )
  },
)

test('behavior: an event of another program in the logs is not taken for the pool’s own', () => {
  const layout = layouts.find(({ tag, venue }) => venue === 'orcaWhirlpool' && tag === swapTag)!
  const shared = { into: 5n, out: 7n, isIn0: true, depth: 0, root: 2n ** 60n, isCut: false }
  const { transaction } = write(layout, shared)
  const meta = transaction.meta!
  const forged = `Program data: ${layout.event!({ ...shared, root: 2n ** 63n }).log!.toString('base64')}`
  const logs = ['Program Forger11111111111111111111111111111111 invoke [1]', forged]
  const changed = {
    ...transaction,
    meta: { ...meta, logMessages: [...logs, ...meta.logMessages!] },
  }
  const [swap] = decodeSolanaTransactions([changed]) as DecodedSwap[]
  // Logs that do not match the instructions are ignored.
  expect(swap).toMatchObject({ amount0: 5n, amount1: -7n, priceRaw: null })
})
