import { encodeAbiParameters, encodePacked, type Hex, keccak256, parseAbiParameters } from 'viem'
import type { LpFacts } from '../riskReport.ts'
import type { FoundLog } from './boundedLogs.ts'
import { type LpQuery, sharesOf } from './lpFacts.ts'
import { addressOfWord, uintOfWord } from './words.ts'

/**
 * Mint(address sender, address indexed owner, int24 indexed lower, int24 indexed upper, uint128,
 * uint256, uint256)
 */
export const mintTopic = '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde'
/**
 * IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)
 */
const increaseTopic = '0x3067048beee31b25b2f1681f88dac838c8bba36af25bfb2b7cf7473a5847e35f'
const selector = {
  slot0: '0x3850c7bd',
  // The pool takes the hash of a position, the position manager the number of its NFT.
  poolPositions: '0x514ea4bf',
  positions: '0x99fbab88',
  ownerOf: '0x6352211e',
} as const

/** Venues whose pools and position managers answer like those of Uniswap V3. */
export const positionVenues: readonly string[] = ['uniswapV3', 'pancakeV3', 'slipstream']

export type PositionQuery = Omit<LpQuery, 'transfers'> & {
  /** All mints of the pool, ever. */
  mints: readonly FoundLog[]
  /** Logs of one contract in one block; null if the node does not answer. */
  logsIn(address: string, topic0: string, block: number): Promise<readonly FoundLog[] | null>
  /** Blocks searched for numbers of NFTs. */
  blocksMax: number
}

type Position = { owner: string; lower: number; upper: number; liquidity: bigint }

/** The sum of all shares. A share is a position's part of the total value at the pool's price. */
const sharesTotal = 10n ** 18n

/**
 * Reads who can withdraw a concentrated pool's liquidity: owners of its positions or, for those of
 * a position manager, owners of the NFTs. Null if a position is unknown.
 */
export async function readPositionFacts(query: PositionQuery): Promise<LpFacts | null> {
  const { state, pair } = query
  const held = await readPoolPositions(query)
  const [answer] = await state.call([{ to: pair, data: selector.slot0 }])
  const sqrtPriceX96 = answer?.type === 'answered' ? uintOfWord(answer.data) : null
  if (held === null || sqrtPriceX96 === null) return null
  const owned = await throughManagers(query, held)
  if (owned === null) return null
  const balances = new Map<string, number>()
  let total = 0
  for (const position of owned) {
    const worth = worthOf(position, Number(sqrtPriceX96) / 2 ** 96)
    balances.set(position.owner, (balances.get(position.owner) ?? 0) + worth)
    total += worth
  }
  if (!(total > 0) || !Number.isFinite(total)) return null
  const shares = [...balances].map(([owner, worth]): [string, bigint] => [
    owner,
    BigInt(Math.round((worth / total) * Number(sharesTotal))),
  ])
  return await sharesOf(query, new Map(shares), { totalRaw: sharesTotal, isSupply: false })
}

/** Value in the pool's second token, at the pool's price. */
function worthOf({ lower, upper, liquidity }: Position, sqrtPrice: number): number {
  const [low, high] = [1.0001 ** (lower / 2), 1.0001 ** (upper / 2)]
  const at = Math.min(Math.max(sqrtPrice, low), high)
  const amount0 = Number(liquidity) * (1 / at - 1 / high)
  const amount1 = Number(liquidity) * (at - low)
  return amount0 * sqrtPrice ** 2 + amount1
}

/** The pool's current liquidity of every position that was ever minted. */
async function readPoolPositions({
  state,
  pair,
  mints,
}: PositionQuery): Promise<Position[] | null> {
  const places = new Map<string, Omit<Position, 'liquidity'>>()
  for (const { topics } of mints) {
    const owner = addressOfWord(topics[1] ?? '')
    if (owner === null || topics.length !== 4) return null
    const place = { owner, lower: tickOf(topics[2]!), upper: tickOf(topics[3]!) }
    places.set(placeKey(place), place)
  }
  const all = [...places.values()]
  const answers = await state.call(
    all.map(({ owner, lower, upper }) => {
      const types = ['address', 'int24', 'int24'] as const
      const hash = keccak256(encodePacked(types, [owner as Hex, lower, upper]))
      return { to: pair, data: selector.poolPositions + hash.slice(2) }
    }),
  )
  const positions: Position[] = []
  for (const [i, place] of all.entries()) {
    const answer = answers[i]!
    const liquidity = answer.type === 'answered' ? uintOfWord(answer.data) : null
    if (liquidity === null) return null
    if (liquidity > 0n) positions.push({ ...place, liquidity })
  }
  return positions
}

/**
 * Replaces positions of a manager by those of its NFTs. Null unless the NFTs add up to all that the
 * manager holds in the pool.
 */
async function throughManagers(
  query: PositionQuery,
  held: readonly Position[],
): Promise<Position[] | null> {
  const managers = new Set(held.map(({ owner }) => owner))
  const found: Position[] = []
  for (const manager of managers) {
    const own = held.filter(({ owner }) => owner === manager)
    const tokenIds = await findTokenIds(query, manager)
    if (tokenIds === null) return null
    if (tokenIds.length === 0) {
      found.push(...own)
      continue
    }
    const nfts = await readNfts(query, manager, tokenIds)
    const isWhole = own.every(
      ({ lower, upper, liquidity }) =>
        nfts
          .filter((nft) => nft.lower === lower && nft.upper === upper)
          .reduce((sum, nft) => sum + nft.liquidity, 0n) === liquidity,
    )
    if (!isWhole) return null
    found.push(...nfts)
  }
  return found
}

/**
 * Reads the NFT numbers from the transactions that minted. Empty: not a position manager. Null: too
 * many blocks to search.
 */
async function findTokenIds(query: PositionQuery, manager: string): Promise<bigint[] | null> {
  const mints = query.mints.filter(({ topics }) => addressOfWord(topics[1] ?? '') === manager)
  const hashes = new Set(mints.map(({ transactionHash }) => transactionHash))
  const blocks = new Set(mints.map(({ blockNumber }) => Number(blockNumber)))
  if (blocks.size > query.blocksMax) return null
  const tokenIds = new Set<bigint>()
  for (const block of blocks) {
    const logs = await query.logsIn(manager, increaseTopic, block)
    if (logs === null) return null
    for (const { topics, transactionHash } of logs)
      if (hashes.has(transactionHash) && topics[1] !== undefined) tokenIds.add(BigInt(topics[1]))
  }
  return [...tokenIds]
}

/** Reads the NFTs of this pool. One transaction may also mint in other pools. */
async function readNfts(
  { state, pair }: PositionQuery,
  manager: string,
  tokenIds: readonly bigint[],
): Promise<Position[]> {
  const ask = (to: string, data: string) => ({ to, data })
  const asked = tokenIds.flatMap((id) => {
    const word = encodeAbiParameters(parseAbiParameters('uint256'), [id]).slice(2)
    return [ask(manager, selector.positions + word), ask(manager, selector.ownerOf + word)]
  })
  const ends = ['0x0dfe1681', '0xd21220a7'].map((data) => ask(pair, data))
  const answers = await state.call([...ends, ...asked])
  const texts = answers.map((answer) => (answer.type === 'answered' ? answer.data : '0x'))
  const [token0, token1] = texts as [string, string]
  return tokenIds.flatMap((_, i): Position[] => {
    const words =
      texts[2 + 2 * i]!.slice(2)
        .match(/.{64}/g)
        ?.map((word): Hex => `0x${word}`) ?? []
    const owner = addressOfWord(texts[3 + 2 * i]!)
    if (owner === null || words.length < 8) return []
    if (words[2] !== token0 || words[3] !== token1) return []
    const [lower, upper] = [tickOf(words[5]!), tickOf(words[6]!)]
    return [{ owner, lower, upper, liquidity: BigInt(words[7]!) }]
  })
}

function tickOf(word: string): number {
  return Number(BigInt.asIntN(24, BigInt(word)))
}

function placeKey({ owner, lower, upper }: Omit<Position, 'liquidity'>): string {
  return `${owner} ${lower} ${upper}`
}
