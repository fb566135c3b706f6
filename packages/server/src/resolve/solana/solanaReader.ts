import { createHash } from 'node:crypto'
import { RpcError, type RpcErrorKind } from '../../chain/errors.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import {
  hidesSupply,
  mayHideHoldings,
  readAccounts,
  readHolders,
  readMint,
  type SolanaAccount,
} from '../../chain/solana/accounts.ts'
import type { Commitment } from '../../chain/solana/solanaRpc.ts'
import { encodeBase58 } from '../../lib/bytes/base58.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { PoolAnswer, PoolQuery } from '../../model/pool.ts'
import type { SolanaVenueSet } from '../../venues/solana/venue.ts'
import type {
  ChainReader,
  ReadPoint,
  TokenAnswer,
  TransferScanQuery,
  TransferSums,
} from '../chainReader.ts'
import { TransfersRefusedError } from '../errors.ts'
import {
  metadataAddressOf,
  readMetadataAccount,
  readNameExtension,
  type TokenNameLimits,
} from './mintMetadata.ts'

type SolanaReaderOptions = {
  profile: ChainProfile
  rpc: Pick<Rpc, 'requestBatch' | 'request'>
  venues: SolanaVenueSet
  /** Commitment at which blocks are read. @default confirmed */
  commitment?: Commitment | undefined
  /**
   * Client for reading holders of tokens that existed before they were followed. @default holders
   * are not read
   */
  holders?: HolderScanOptions['holders'] | undefined
  /** Owners under which programs keep the vaults of many pools. @default none */
  sharedOwners?: ReadonlySet<string> | undefined
  limits?: Partial<TokenNameLimits> | undefined
}

const textLimitsDefault: TokenNameLimits = { nameCharsMax: 100, symbolCharsMax: 32 }
const unreadable = { symbol: '', name: '', decimals: 0, isUnreadable: true, totalSupply: null }
const unknownState = { reserve0: null, reserve1: null, priceRaw: null }

/**
 * Creates the ChainReader of a Solana chain. Blocks contain everything about pools, balances and
 * trades. Nodes add token names and the holders of older tokens; they keep no state but the newest.
 */
export function createSolanaReader(options: SolanaReaderOptions): ChainReader {
  const { profile, rpc, venues, holders = null, sharedOwners = new Set() } = options
  const limits = { ...textLimitsDefault, ...options.limits }
  // Accounts created by a block do not exist at a stricter commitment than the block has reached.
  const commitment = options.commitment === 'processed' ? 'processed' : 'confirmed'
  const read = (addresses: readonly string[], at: ReadPoint, isLive: boolean) =>
    readAccounts(rpc, addresses, isLive ? { minSlot: at.number, commitment } : {})

  return {
    readPools: async (queries) => queries.map((query) => poolOf(query, venues, profile)),
    async readTokens(mints, at, isLive) {
      const metadata = mints.map(metadataAddressOf)
      const accounts = await read([...mints, ...metadata], at, isLive)
      return mints.map((_, i) =>
        tokenOf(accounts[i]!, accounts[mints.length + i]!, { limits, isLive }),
      )
    },
    async readTotals(mints, at) {
      const accounts = await read(mints, at, true)
      return accounts.map((account) => {
        const mint = account && readMint(account)
        return mint === null || hidesSupply(mint) ? null : mint.supply
      })
    },
    async readNatives(wallets, at) {
      const accounts = await read(wallets, at, true)
      return accounts.map((account) => BigInt(account?.lamports ?? 0))
    },
    readPresence: async (pools) => pools.map(() => null),
    readCreatedAt: async () => null,
    readShares: async (pools) => pools.map(() => null),
    readStates: async (pools) => pools.map(() => unknownState),
    readReserves: async (pools) => pools.map(() => null),
    coupleIdOf: (pool, couple) =>
      encodeBase58(
        createHash('sha256')
          .update([pool, ...couple].join())
          .digest(),
      ),
    hasNoHistory: true,
    readHistory: (query) => scanHolders({ profile, rpc, holders, sharedOwners }, query),
  }
}

/**
 * Identifies a pool from its swap: a program only trades with its own accounts, so the counterparty
 * is one of its pools. Null if the swap does not show the pool's tokens.
 */
function poolOf(
  { venues: names, tokens, couple }: PoolQuery,
  venues: SolanaVenueSet,
  profile: ChainProfile,
): PoolAnswer | null {
  const venue = venues.find(names?.[0] ?? '')
  if (venue === undefined || tokens === undefined) return null
  const trusted = profile.venues.find((item) => item.venue === venue.name)
  const [token0, token1] = tokens
  return {
    venue: venue.name,
    kind: venue.kind,
    token0,
    token1,
    others: [],
    isCouple: couple !== undefined,
    params: [],
    factory: trusted?.address ?? venue.programs[0]!,
    feePpm: null,
    isConfirmed: trusted !== undefined,
  }
}

/** Takes name and symbol from the mint's own extension, else from Metaplex. */
function tokenOf(
  account: SolanaAccount | null,
  metadata: SolanaAccount | null,
  { limits, isLive }: { limits: TokenNameLimits; isLive: boolean },
): TokenAnswer {
  const mint = account && readMint(account)
  if (mint === null) return unreadable
  const texts =
    readNameExtension(mint, limits) ?? (metadata && readMetadataAccount(metadata.data, limits))
  const { symbol, name } = texts ?? { symbol: '', name: '' }
  return {
    symbol,
    name,
    decimals: mint.decimals,
    isUnreadable: symbol === '',
    // Nodes only know the newest supply, not that of an older block.
    totalSupply: isLive && !hidesSupply(mint) ? mint.supply : null,
  }
}

type HolderScanOptions = {
  profile: Pick<ChainProfile, 'quotes'>
  rpc: Pick<Rpc, 'requestBatch' | 'request'>
  /**
   * Client that refuses answers too long to parse beside block processing. Null: nodes are not
   * asked for holders.
   */
  holders: Pick<Rpc, 'request' | 'supports'> | null
  /**
   * Owners under which programs keep the vaults of many pools: each vault counts as a separate
   * holder.
   */
  sharedOwners: ReadonlySet<string>
}

/**
 * Nodes report a token's current holders only, so all changes between the requested slot and the
 * head must be kept until the answer. Scans further behind the head are refused. About ten minutes.
 */
const slotsBehindMax = 1_500

// Errors for which a retry would get the same answer.
const permanentErrorKinds: ReadonlySet<RpcErrorKind> = new Set([
  'refused',
  'unknownMethod',
  'forbidden',
])

/** Reads a token's holders as of the requested slot or a later one. Null if there are too many. */
async function scanHolders(
  options: HolderScanOptions,
  { token, to, walletsMax, signal }: TransferScanQuery,
): Promise<TransferSums | null> {
  const { profile, rpc, holders, sharedOwners } = options
  const refuse = (cause: unknown) => new TransfersRefusedError({ token, block: to.number, cause })
  if (holders === null || !holders.supports('getProgramAccounts'))
    throw refuse('Nodes of this chain keep no older balances')
  // Quote tokens have more holders than one answer can hold.
  if (profile.quotes.includes(token)) throw refuse('Quote tokens have too many holders to read')
  const newest = Number(await rpc.request('getSlot', [{ commitment: 'confirmed' }], { signal }))
  const oldest = newest - slotsBehindMax
  if (to.number < oldest) throw refuse('The block is too far behind the nodes')
  const [account = null] = await readAccounts(rpc, [token], { signal, isBackground: true })
  const mint = account && readMint(account)
  if (account === null || mint === null) throw refuse('The account is not a mint')
  if (mayHideHoldings(mint)) throw refuse('Balances of this token may be confidential')
  try {
    const query = { mint: token, program: account.owner, minSlot: to.number, signal }
    const { slot, holdings } = await readHolders(holders, query)
    const balances = new Map<string, bigint>()
    for (const { account, owner, amount } of holdings) {
      const holder = sharedOwners.has(owner) ? account : owner
      balances.set(holder, (balances.get(holder) ?? 0n) + amount)
    }
    if (balances.size > walletsMax) return null
    return { balances, voided: 0n, logCount: holdings.length, firstBlock: null, asOf: slot }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    if (error.kind === 'responseTooLarge') return null
    throw permanentErrorKinds.has(error.kind) ? refuse(error) : error
  }
}
