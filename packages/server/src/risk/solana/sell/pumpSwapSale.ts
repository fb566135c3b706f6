import { decodeBase58, encodeBase58 } from '../../../lib/bytes/base58.ts'
import { programAddressOf } from '../../../lib/programAddress.ts'
import {
  type AccountUse,
  associatedAccountOf,
  associatedProgram,
  type RouteQuery,
  readOnly,
  type SellVenue,
  sellData,
  signer,
  systemProgram,
  writable,
} from './saleTransaction.ts'

const program = 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA'
const feeProgram = 'pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ'
const sellTag = 0x33e685a4017f83adn
const keyBytes = 32

// Offsets in the pool's account. Accounts from before 2025 end before the creator.
const [baseMintAt, quoteMintAt, baseVaultAt, quoteVaultAt] = [43, 75, 139, 171]
const [creatorAt, mayhemAt, cashbackAt] = [211, 243, 244]
const poolBytesMin = 211
// Offsets in the settings account of the first allowed recipient of each fee.
const [feeRecipientAt, reservedRecipientAt, buybackRecipientAt] = [57, 385, 643]
const settingsBytesMin = buybackRecipientAt + keyBytes

const word = (text: string) => Buffer.from(text)
const bytesOf = (key: string) => decodeBase58(key)!
const globalConfig = programAddressOf(program, [word('global_config')])
const eventAuthority = programAddressOf(program, [word('__event_authority')])
const feeConfig = programAddressOf(feeProgram, [word('fee_config'), bytesOf(program)])

/** PumpSwap pools whose base is the token. Fee recipients are in the program's settings account. */
export const pumpSwapSale: SellVenue = {
  shared: [globalConfig],
  routeOf(query) {
    const terms = readPool(query)
    if (terms === null || terms.baseMint !== query.token.mint) return null
    const { pool, token, quoteProgram } = query
    const { feeRecipient, baseVault, quoteVault, creator } = terms
    const quote = { mint: terms.quoteMint, tokenProgram: quoteProgram }
    const quoteOf = (owner: string) => writable(associatedAccountOf({ owner, ...quote }))
    const creatorVault = programAddressOf(program, [word('creator_vault'), bytesOf(creator)])
    const behind = usesBehind(terms, quoteOf)
    return {
      quote,
      sell: ({ seller, source, target, amount }) => ({
        program,
        accounts: [
          ...[writable(pool), signer(seller), readOnly(globalConfig)],
          ...[readOnly(token.mint), readOnly(quote.mint)],
          ...[source, target, baseVault, quoteVault].map(writable),
          ...[readOnly(feeRecipient), quoteOf(feeRecipient)],
          ...[token.tokenProgram, quoteProgram, systemProgram, associatedProgram].map(readOnly),
          ...[readOnly(eventAuthority), readOnly(program)],
          ...[quoteOf(creatorVault), readOnly(creatorVault)],
          ...[readOnly(feeConfig), readOnly(feeProgram)],
          ...behind(seller),
        ],
        data: sellData(sellTag, amount),
      }),
    }
  },
}

type PoolTerms = {
  baseMint: string
  quoteMint: string
  baseVault: string
  quoteVault: string
  creator: string
  isCashback: boolean
  feeRecipient: string
  /** Null if the program's settings do not have one yet. */
  buybackRecipient: string | null
}

function readPool({ accounts: [account, settings] }: RouteQuery): PoolTerms | null {
  if (account?.owner !== program || settings?.owner !== program) return null
  const { data } = account
  if (data.length < poolBytesMin || settings.data.length < feeRecipientAt + keyBytes) return null
  const key = (bytes: Buffer, at: number) => encodeBase58(bytes.subarray(at, at + keyBytes))
  const hasCreator = data.length >= creatorAt + keyBytes
  const isMayhem = data[mayhemAt] === 1
  return {
    baseMint: key(data, baseMintAt),
    quoteMint: key(data, quoteMintAt),
    baseVault: key(data, baseVaultAt),
    quoteVault: key(data, quoteVaultAt),
    creator: hasCreator ? key(data, creatorAt) : systemProgram,
    isCashback: data[cashbackAt] === 1,
    feeRecipient: key(settings.data, isMayhem ? reservedRecipientAt : feeRecipientAt),
    buybackRecipient:
      settings.data.length < settingsBytesMin ? null : key(settings.data, buybackRecipientAt),
  }
}

/** Optional accounts that the program looks for behind the fixed ones. */
function usesBehind(
  { baseMint, creator, isCashback, buybackRecipient }: PoolTerms,
  quoteOf: (owner: string) => AccountUse,
): (seller: string) => AccountUse[] {
  const poolV2 = programAddressOf(program, [word('pool-v2'), bytesOf(baseMint)])
  const ofCreator = creator === systemProgram ? [] : [readOnly(poolV2)]
  const isPaid = buybackRecipient !== null && buybackRecipient !== systemProgram
  const ofBuyback = isPaid ? [readOnly(buybackRecipient), quoteOf(buybackRecipient)] : []
  return (seller) => {
    if (!isCashback) return [...ofCreator, ...ofBuyback]
    const volumeSeeds = [word('user_volume_accumulator'), bytesOf(seller)]
    const volume = programAddressOf(program, volumeSeeds)
    return [quoteOf(volume), writable(volume), ...ofCreator, ...ofBuyback]
  }
}
