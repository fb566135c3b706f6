import { decodeBase58, encodeBase58 } from '../../../lib/bytes/base58.ts'
import { programAddressOf } from '../../../lib/programAddress.ts'
import {
  type AccountUse,
  associatedAccountOf,
  associatedProgram,
  type RouteQuery,
  readOnly,
  type Sale,
  type SellVenue,
  sellData,
  signer,
  systemProgram,
  writable,
} from './saleTransaction.ts'

const program = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
const feeProgram = 'pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ'
// `sell` for curves in SOL, `sell_v2` for curves in another token.
const [sellTag, sellV2Tag] = [0x33e685a4017f83adn, 0x5df6823ce7e940b2n]
const curveTag = 0x17b7f83760d8ac60n
const keyBytes = 32

// Offsets in the curve's account. Accounts from before 2025 end before the creator, those from
// before 2026 before the quote mint.
const [completeAt, creatorAt, mayhemAt, cashbackAt, quoteMintAt] = [48, 49, 81, 82, 83]
// Offsets in the settings account of the first allowed recipient of each fee.
const [feeRecipientAt, reservedRecipientAt, buybackRecipientAt] = [41, 483, 741]

const word = (text: string) => Buffer.from(text)
const bytesOf = (key: string) => decodeBase58(key)!
const global = programAddressOf(program, [word('global')])
const eventAuthority = programAddressOf(program, [word('__event_authority')])
const feeConfig = programAddressOf(feeProgram, [word('fee_config'), bytesOf(program)])

/** The curve of pump.fun. Fee recipients are in the program's settings account. */
export const pumpFunSale: SellVenue = {
  shared: [global],
  routeOf(query) {
    const curve = readCurve(query)
    if (curve === null) return null
    if (curve.quoteMint === systemProgram)
      return {
        quote: null,
        sell: (sale) => ({
          program,
          accounts: usesForSol(query, curve, sale),
          data: sellData(sellTag, sale.amount),
        }),
      }
    const quote = { mint: curve.quoteMint, tokenProgram: query.quoteProgram }
    return {
      quote,
      sell: (sale) => ({
        program,
        accounts: usesForToken(query, curve, sale),
        data: sellData(sellV2Tag, sale.amount),
      }),
    }
  },
}

type Curve = {
  /** Receives the creator's fee. */
  creatorVault: string
  isCashback: boolean
  /** The system program's address for SOL. */
  quoteMint: string
  feeRecipient: string
  buybackRecipient: string
}

/** Null if the account is not a curve, or the curve is complete and no longer trades. */
function readCurve({ accounts: [account, settings] }: RouteQuery): Curve | null {
  if (account?.owner !== program || settings?.owner !== program) return null
  const { data } = account
  if (data.length <= completeAt || data.readBigUInt64BE(0) !== curveTag) return null
  if (data[completeAt] !== 0 || settings.data.length < buybackRecipientAt + keyBytes) return null
  const keyIn = (bytes: Buffer, at: number) =>
    at + keyBytes > bytes.length ? systemProgram : encodeBase58(bytes.subarray(at, at + keyBytes))
  const isMayhem = data[mayhemAt] === 1
  const creator = bytesOf(keyIn(data, creatorAt))
  return {
    creatorVault: programAddressOf(program, [word('creator-vault'), creator]),
    isCashback: data[cashbackAt] === 1,
    quoteMint: keyIn(data, quoteMintAt),
    feeRecipient: keyIn(settings.data, isMayhem ? reservedRecipientAt : feeRecipientAt),
    buybackRecipient: keyIn(settings.data, buybackRecipientAt),
  }
}

/** Accounts of `sell`, then the optional ones that the program looks for behind them. */
function usesForSol({ pool, token }: RouteQuery, curve: Curve, sale: Sale): AccountUse[] {
  const { creatorVault, isCashback, feeRecipient, buybackRecipient } = curve
  const curveV2 = programAddressOf(program, [word('bonding-curve-v2'), bytesOf(token.mint)])
  return [
    ...[readOnly(global), writable(feeRecipient), readOnly(token.mint)],
    ...[pool, associatedAccountOf({ owner: pool, ...token }), sale.source].map(writable),
    ...[signer(sale.seller), readOnly(systemProgram), writable(creatorVault)],
    ...[token.tokenProgram, eventAuthority, program, feeConfig, feeProgram].map(readOnly),
    ...(isCashback ? [writable(volumeOf(sale.seller))] : []),
    ...[readOnly(curveV2), writable(buybackRecipient)],
  ]
}

/** Accounts of `sell_v2`. */
function usesForToken(query: RouteQuery, curve: Curve, sale: Sale): AccountUse[] {
  const { pool, token, quoteProgram } = query
  const { creatorVault, quoteMint, feeRecipient, buybackRecipient } = curve
  const quoteOf = (owner: string) =>
    associatedAccountOf({ owner, mint: quoteMint, tokenProgram: quoteProgram })
  const sharing = programAddressOf(feeProgram, [word('sharing-config'), bytesOf(token.mint)])
  const volume = volumeOf(sale.seller)
  return [
    ...[global, token.mint, quoteMint, token.tokenProgram, quoteProgram].map(readOnly),
    readOnly(associatedProgram),
    ...[feeRecipient, quoteOf(feeRecipient)].map(writable),
    ...[buybackRecipient, quoteOf(buybackRecipient)].map(writable),
    ...[pool, associatedAccountOf({ owner: pool, ...token }), quoteOf(pool)].map(writable),
    ...[signer(sale.seller), writable(sale.source), writable(sale.target)],
    ...[creatorVault, quoteOf(creatorVault)].map(writable),
    readOnly(sharing),
    ...[volume, quoteOf(volume)].map(writable),
    ...[feeConfig, feeProgram, systemProgram, eventAuthority, program].map(readOnly),
  ]
}

/** Account in which the program counts a trader's volume. */
function volumeOf(seller: string): string {
  return programAddressOf(program, [word('user_volume_accumulator'), bytesOf(seller)])
}
