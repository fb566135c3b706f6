import { isKeyBelow, ratioOf } from './decoding/bytes.ts'
import { type Call, tagOf } from './decoding/call.ts'
import { pushSwap, vaultState } from './decoding/poolEvents.ts'
import type { TokenMove } from './decoding/tokenMoves.ts'
import type { TransactionScope } from './decoding/transactionScope.ts'
import type { CallDecoder, SolanaVenue } from './venue.ts'

/** The places of the pool and of the trader among the accounts of an instruction that trades. */
export type Places = { pool: number; user: number }

/** Where instructions that begin with one byte have them, in hex; `otherwise` where all others do. */
type PlacesByTag = Readonly<Record<string, Places>> & { otherwise: Places }

/** Does the pool of a call hold more than two tokens? Then each two of them are a pair. */
type IsWide = (call: Call) => boolean

/**
 * A trade is one token in, on the user's word, and another one out to him; whatever else an instruction does (quotes of
 * the market maker, orders, deposits, withdrawals) is not both. So nothing need be known of its data.
 */
const decodeAny =
  (byTag: PlacesByTag, isWide: IsWide): CallDecoder =>
  (call, scope) => {
    const moves = scope.movesIn(call)
    if (moves.length < 2) return true
    const { pool, user } = byTag[tagOf(call, 1)] ?? byTag.otherwise
    const trader = traderOf(call, scope, moves, user)
    const got = moves.filter(
      ({ authority, to }) => authority !== trader && isHis(scope, trader, to, call.account(pool)),
    )
    const paid = moves.filter((move) => move.authority === trader && !isPassedOn(move, got))
    const sides = sidesOf(scope, paid, got)
    if (sides === null) return true
    const address = scope.key(call.account(pool))
    if (address === '') return false
    pushTrade(call, scope, { pool: address, trader, isWide: isWide(call), ...sides })
    return true
  }

/** What a router does with what it got, where nothing tells that the call of the pool was done before. */
function isPassedOn({ from, call }: TokenMove, got: readonly TokenMove[]): boolean {
  return got.some((move) => move.to === from && move.call < call)
}

/** Who is named as such, if he moved something; else the one that signed for what moved, or who paid first. */
function traderOf(call: Call, scope: TransactionScope, moves: readonly TokenMove[], user: number) {
  const named = call.account(user)
  if (moves.some(({ authority }) => authority === named)) return named
  return moves.find(({ authority }) => scope.isSigner(authority))?.authority ?? moves[0]!.authority
}

/** An account that was opened for the trade alone has no owner that the node tells. */
function isHis(scope: TransactionScope, trader: number, account: number, pool: number): boolean {
  const owner = scope.ownerOf(account)
  return owner === null ? account !== pool : owner === scope.key(trader)
}

type Side = { vault: number; token: string; amount: bigint }

/** Null: it is not one token against another. */
function sidesOf(
  scope: TransactionScope,
  paid: readonly TokenMove[],
  got: readonly TokenMove[],
): { into: Side; out: Side } | null {
  if (paid.length === 0 || got.length === 0) return null
  const into = sumOf(scope, paid, largestOf(paid).to, 'to')
  const out = sumOf(scope, got, largestOf(got).from, 'from')
  return into === null || out === null || into.token === out.token ? null : { into, out }
}

/** Beside what is traded, fees may go to others. */
function largestOf(moves: readonly TokenMove[]): TokenMove {
  return moves.reduce((largest, move) => (move.amount > largest.amount ? move : largest))
}

function sumOf(
  scope: TransactionScope,
  moves: readonly TokenMove[],
  vault: number,
  end: 'from' | 'to',
): Side | null {
  const token = scope.mintOf(vault)
  if (token === null) return null
  let amount = 0n
  for (const move of moves) {
    if (move[end] === vault) amount += move.amount
    // A second token on one side is liquidity.
    else if (scope.mintOf(move[end]) !== token) return null
  }
  return amount === 0n ? null : { vault, token, amount }
}

type Trade = { pool: string; trader: number; isWide: boolean; into: Side; out: Side }

/** Such pools do not say which of their tokens is the first: the order of the mints is taken. */
function pushTrade(call: Call, scope: TransactionScope, trade: Trade): void {
  const { pool, trader, isWide, into, out } = trade
  const isIn0 = isKeyBelow(into.token, out.token)
  const [side0, side1] = isIn0 ? [into, out] : [out, into]
  const accounts = { pool: -1, vault0: side0.vault, vault1: side1.vault }
  // Their prices come from outside and are told nowhere: what was paid is the nearest.
  const priceRaw = ratioOf(side1.amount, side0.amount)
  pushSwap(scope, {
    pool,
    isWide,
    tokens: [side0.token, side1.token],
    user: trader,
    state: { ...vaultState(scope, call, accounts), priceRaw },
    amount0: isIn0 ? into.amount : -out.amount,
    amount1: isIn0 ? -out.amount : into.amount,
  })
}

export function byTransfers(
  name: string,
  programs: readonly string[],
  otherwise: Places,
  {
    byTag = {},
    isWide = () => false,
  }: { byTag?: Readonly<Record<string, Places>>; isWide?: IsWide } = {},
): SolanaVenue {
  const decode = decodeAny({ ...byTag, otherwise }, isWide)
  return { name, kind: 'concentrated', programs, instructions: {}, otherwise: decode }
}

/** Order books, older pools, and pools of market makers, whose programs keep what their instructions mean to themselves. */
export const poolsByTransfers: readonly SolanaVenue[] = [
  byTransfers('phoenix', ['PhoeNiXZ8ByJGLkxNfZRnkUfjvmuYqLR89jjFHGqdXY'], { pool: 2, user: 3 }),
  byTransfers('openBookV2', ['opnb2LAfJYbRMAHHvqjCwQxanZn7ReEHp1k81EohpZb'], { pool: 2, user: 0 }),
  byTransfers(
    'manifest',
    ['MNFSTqtC93rEfYHB6hF82sKdZpUDFWkViLByLd1k1Ms'],
    { pool: 1, user: 0 },
    // With somebody else to pay for accounts.
    { byTag: { '0d': { pool: 2, user: 1 } } },
  ),
  byTransfers('lifinityV2', ['2wT8Yq49kHgDzXuPxZSaeLaH1qbmGXtEyPy64bL7aD3c'], { pool: 1, user: 2 }),
  byTransfers('fluxbeam', ['FLUXubRmkEi2q6K3Y9kBPg9248ggaZVsoSFhtJHSrm1X'], { pool: 0, user: 2 }),
  // The first pools of all, under the names of Solana's library and of Orca.
  byTransfers(
    'tokenSwap',
    [
      'SwaPpA9LAaLfeLi3a68M4DjnLqgtticKg6CnyNwgAC8',
      'DjVE6JNiYqPL2QXyCUUh8rNjHrbz9hXHNYt99MQ59qw1',
      '9W959DqEETiGZocYWCQPaJ6sBmUzgfxXfqGeTEdp3aQP',
    ],
    { pool: 0, user: 2 },
  ),
  byTransfers('saber', ['SSwpkEEcbUqx4vtoEByFjSkhKdCT862DNVb52nZg1UZ'], { pool: 0, user: 2 }),
  byTransfers('invariant', ['HyaB3W9q6XdA5xwpU4XnSZV94htfmbmqJXZcEbRaJutt'], { pool: 1, user: 7 }),
  byTransfers('heaven', ['HEAVENoP2qxoeuF8Dj2oT1GHEnu49U5mJYkdeC8BAX2o'], { pool: 4, user: 5 }),
  byTransfers(
    'stabble',
    ['swapNyd8XiQwJ6ianp9snpu4brUqFxadzvHebnAXjJZ', 'swapFpHZwjELNnjvThjajtiVmkz3yPQEHjLtka2fwHW'],
    { pool: 6, user: 0 },
  ),
  byTransfers('obric', ['obriQD1zbpyLz95G5n7nJe6a4DPjpFwa5XYPoNm113y'], { pool: 0, user: 10 }),
  byTransfers(
    'zeroFi',
    ['ZERor4xhbUycZ6gb9ntrhqscUcZmAbQDjEAtCf4hbZY'],
    { pool: 0, user: 7 },
    { byTag: { '10': { pool: 0, user: 8 } } },
  ),
  byTransfers(
    'solFi',
    ['SoLFiHG9TfgtdUXUjWAxi3LtvYuFyDLVhBWxdMZxyCe', 'SV2EYYJyRz2YhfXwXnhNAevDEui5Q6yrfyo13WtupPF'],
    { pool: 1, user: 0 },
  ),
  byTransfers('humidiFi', ['9H6tua7jkLhdm3w8BvgpTn5LZNU7g4ZynDmCiNN3q6Rp'], { pool: 1, user: 0 }),
  byTransfers('bisonFi', ['BiSoNHVpsVZW2F7rx2eQ59yQwKxzU5NvBcmKshCSUypi'], { pool: 1, user: 0 }),
  byTransfers(
    'goonFi',
    ['goonuddtQRrWqqn5nFyczVKaie28f3kDkHWkHtURSLE', 'goonERTdGsjnkZqWuVjs73BZ3Pb9qoCUdBUL17BnS5j'],
    { pool: 1, user: 0 },
  ),
  byTransfers('tesseraV', ['TessVdML9pBGgG9yGks7o4HewRaXVAMuoVj4x83GLQH'], { pool: 1, user: 2 }),
  byTransfers(
    'scorch',
    ['SCoRcH8c2dpjvcJD6FiPbCSQyQgu3PcUAWj2Xxx3mqn'],
    { pool: 15, user: 1 },
    { byTag: { '01': { pool: 11, user: 1 } } },
  ),
  byTransfers('alphaQ', ['ALPHAQmeA7bjrVuccPsYPiCvsi428SNwte66Srvs4pHA'], { pool: 1, user: 0 }),
  byTransfers('obsidian', ['HBVw6bZtcCaezhcBrmfyXBSBRWCdv72271xQ4GPvms2z'], { pool: 1, user: 0 }),
  byTransfers('flux', ['FLUX6xBayGxLX9UcimVRxXFMHH6q43mAbRvDzSpCsvfK'], { pool: 1, user: 0 }),
  byTransfers('kipseli', ['3TK9D8aoBFYjYZtKCjciPrVrRStsnvo7KmpcJqDavpaU'], { pool: 1, user: 0 }),
  byTransfers('deriverse', ['DRVSpZ2YUYYKgZP8XtLhAGtT1zYSCKzeHfb4DgRnrgqD'], { pool: 5, user: 0 }),
  byTransfers('saros', ['SSwapUtytfBdBn1b9NUGG6foMVPtcWgpRU32HToDUZr'], { pool: 0, user: 2 }),
  byTransfers('oneDex', ['DEXYosS6oEGvk8uCDayvwEZz4qEyDJRf9nFgYCaqPMTm'], { pool: 1, user: 5 }),
  byTransfers(
    'mercurial',
    ['MERLuDFBMmsHnsBPZw2sDQZHvXFMwp8EdjudcU2HKky'],
    { pool: 0, user: 3 },
    // Six accounts and a vault for each token of the pool.
    { isWide: ({ accounts }) => accounts.length > 8 },
  ),
  byTransfers('gamma', ['GAMMA7meSFWaBXF25oSUgmGRwaW6sCMFLmBNiMSdbHVT'], { pool: 3, user: 0 }),
  byTransfers('aldrin', ['AMM55ShdkoGRB5jVYPjWziwk8m5MpwyDgsMWHaMSQWH6'], { pool: 0, user: 6 }),
  byTransfers('raydiumStable', ['5quBtoiQqxF9Jv6KYKctB59NT3gtJD2Y65kdnB1Uev3h'], {
    pool: 1,
    user: 17,
  }),
  byTransfers('fusion', ['fUSioN9YKKSa3CUC2YUc4tPkHJ5Y6XW1yz8y6F7qWz9'], { pool: 4, user: 3 }),
  byTransfers(
    'aquifer',
    ['AQU1FRd7papthgdrwPTTq5JacJh8YtwEXaBfKU3bTz45'],
    // What it calls an instance of its DEX: one vault for each token, and each two of them trade.
    { pool: 9, user: 1 },
    { isWide: () => true },
  ),
  // Known by its address only.
  byTransfers('exa6', ['ExA6GYhHAeRNMWVNLrDir1SKPJZcZA2oaPq6uriSmxfJ'], { pool: 1, user: 0 }),
]
