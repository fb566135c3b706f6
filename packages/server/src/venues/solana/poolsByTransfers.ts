import {
  type AccountIndexes,
  decodeByTransfers,
  type IsMultiToken,
} from './decoding/decodeByTransfers.ts'
import type { SolanaVenue } from './venue.ts'

/** A venue whose trades are decoded from the tokens they move. */
type TransferVenue = {
  name: string
  programs: readonly string[]
  /**
   * Indexes of pool and trader in its instructions. @default only instructions of `byTag` are
   * decoded
   */
  any?: AccountIndexes | undefined
  /**
   * Indexes in instructions that differ, by the tag of their data in hex; all tags have one length.
   */
  byTag?: Readonly<Record<string, AccountIndexes>> | undefined
  /** @default its pools hold two tokens */
  isWide?: IsMultiToken | undefined
}

/**
 * Order books, older pools, and pools of market makers, whose programs do not publish their
 * instructions.
 */
const rows: readonly TransferVenue[] = [
  {
    name: 'phoenix',
    programs: ['PhoeNiXZ8ByJGLkxNfZRnkUfjvmuYqLR89jjFHGqdXY'],
    any: { pool: 2, user: 3 },
  },
  {
    name: 'openBookV2',
    programs: ['opnb2LAfJYbRMAHHvqjCwQxanZn7ReEHp1k81EohpZb'],
    any: { pool: 2, user: 0 },
  },
  {
    name: 'manifest',
    programs: ['MNFSTqtC93rEfYHB6hF82sKdZpUDFWkViLByLd1k1Ms'],
    any: { pool: 1, user: 0 },
    // With another payer for accounts.
    byTag: { '0d': { pool: 2, user: 1 } },
  },
  {
    name: 'lifinityV2',
    programs: ['2wT8Yq49kHgDzXuPxZSaeLaH1qbmGXtEyPy64bL7aD3c'],
    any: { pool: 1, user: 2 },
  },
  {
    name: 'fluxbeam',
    programs: ['FLUXubRmkEi2q6K3Y9kBPg9248ggaZVsoSFhtJHSrm1X'],
    any: { pool: 0, user: 2 },
  },
  // The first pools on Solana, named after Solana's library and Orca.
  {
    name: 'tokenSwap',
    programs: [
      'SwaPpA9LAaLfeLi3a68M4DjnLqgtticKg6CnyNwgAC8',
      'DjVE6JNiYqPL2QXyCUUh8rNjHrbz9hXHNYt99MQ59qw1',
      '9W959DqEETiGZocYWCQPaJ6sBmUzgfxXfqGeTEdp3aQP',
    ],
    any: { pool: 0, user: 2 },
  },
  {
    name: 'saber',
    programs: ['SSwpkEEcbUqx4vtoEByFjSkhKdCT862DNVb52nZg1UZ'],
    any: { pool: 0, user: 2 },
  },
  {
    name: 'invariant',
    programs: ['HyaB3W9q6XdA5xwpU4XnSZV94htfmbmqJXZcEbRaJutt'],
    any: { pool: 1, user: 7 },
  },
  {
    name: 'heaven',
    programs: ['HEAVENoP2qxoeuF8Dj2oT1GHEnu49U5mJYkdeC8BAX2o'],
    any: { pool: 4, user: 5 },
  },
  {
    name: 'stabble',
    programs: [
      'swapNyd8XiQwJ6ianp9snpu4brUqFxadzvHebnAXjJZ',
      'swapFpHZwjELNnjvThjajtiVmkz3yPQEHjLtka2fwHW',
    ],
    any: { pool: 6, user: 0 },
    byTag: { '2b04ed0b1ac91e62': { pool: 8, user: 0 } },
  },
  {
    name: 'obric',
    programs: ['obriQD1zbpyLz95G5n7nJe6a4DPjpFwa5XYPoNm113y'],
    any: { pool: 0, user: 10 },
  },
  {
    name: 'zeroFi',
    programs: ['ZERor4xhbUycZ6gb9ntrhqscUcZmAbQDjEAtCf4hbZY'],
    any: { pool: 0, user: 7 },
    byTag: { '10': { pool: 0, user: 8 } },
  },
  {
    name: 'solFi',
    programs: [
      'SoLFiHG9TfgtdUXUjWAxi3LtvYuFyDLVhBWxdMZxyCe',
      'SV2EYYJyRz2YhfXwXnhNAevDEui5Q6yrfyo13WtupPF',
    ],
    any: { pool: 1, user: 0 },
  },
  {
    name: 'humidiFi',
    programs: ['9H6tua7jkLhdm3w8BvgpTn5LZNU7g4ZynDmCiNN3q6Rp'],
    any: { pool: 1, user: 0 },
  },
  {
    name: 'bisonFi',
    programs: ['BiSoNHVpsVZW2F7rx2eQ59yQwKxzU5NvBcmKshCSUypi'],
    any: { pool: 1, user: 0 },
  },
  {
    name: 'goonFi',
    programs: [
      'goonuddtQRrWqqn5nFyczVKaie28f3kDkHWkHtURSLE',
      'goonERTdGsjnkZqWuVjs73BZ3Pb9qoCUdBUL17BnS5j',
    ],
    any: { pool: 1, user: 0 },
  },
  {
    name: 'tesseraV',
    programs: ['TessVdML9pBGgG9yGks7o4HewRaXVAMuoVj4x83GLQH'],
    any: { pool: 1, user: 2 },
  },
  {
    name: 'scorch',
    programs: ['SCoRcH8c2dpjvcJD6FiPbCSQyQgu3PcUAWj2Xxx3mqn'],
    any: { pool: 15, user: 1 },
    byTag: { '01': { pool: 11, user: 1 } },
  },
  {
    name: 'alphaQ',
    programs: ['ALPHAQmeA7bjrVuccPsYPiCvsi428SNwte66Srvs4pHA'],
    any: { pool: 1, user: 0 },
  },
  {
    name: 'obsidian',
    programs: ['HBVw6bZtcCaezhcBrmfyXBSBRWCdv72271xQ4GPvms2z'],
    any: { pool: 1, user: 0 },
  },
  {
    name: 'flux',
    programs: ['FLUX6xBayGxLX9UcimVRxXFMHH6q43mAbRvDzSpCsvfK'],
    any: { pool: 1, user: 0 },
  },
  {
    name: 'kipseli',
    programs: ['3TK9D8aoBFYjYZtKCjciPrVrRStsnvo7KmpcJqDavpaU'],
    any: { pool: 1, user: 0 },
  },
  {
    name: 'deriverse',
    programs: ['DRVSpZ2YUYYKgZP8XtLhAGtT1zYSCKzeHfb4DgRnrgqD'],
    any: { pool: 5, user: 0 },
  },
  {
    name: 'saros',
    programs: ['SSwapUtytfBdBn1b9NUGG6foMVPtcWgpRU32HToDUZr'],
    any: { pool: 0, user: 2 },
  },
  {
    name: 'oneDex',
    programs: ['DEXYosS6oEGvk8uCDayvwEZz4qEyDJRf9nFgYCaqPMTm'],
    any: { pool: 1, user: 5 },
  },
  {
    name: 'mercurial',
    programs: ['MERLuDFBMmsHnsBPZw2sDQZHvXFMwp8EdjudcU2HKky'],
    any: { pool: 0, user: 3 },
    // Six accounts, and a vault for each token of the pool.
    isWide: ({ accounts }) => accounts.length > 8,
  },
  {
    name: 'gamma',
    programs: ['GAMMA7meSFWaBXF25oSUgmGRwaW6sCMFLmBNiMSdbHVT'],
    any: { pool: 3, user: 0 },
  },
  {
    name: 'aldrin',
    programs: ['AMM55ShdkoGRB5jVYPjWziwk8m5MpwyDgsMWHaMSQWH6'],
    any: { pool: 0, user: 6 },
  },
  {
    name: 'raydiumStable',
    programs: ['5quBtoiQqxF9Jv6KYKctB59NT3gtJD2Y65kdnB1Uev3h'],
    any: { pool: 1, user: -1 },
  },
  {
    name: 'fusion',
    programs: ['fUSioN9YKKSa3CUC2YUc4tPkHJ5Y6XW1yz8y6F7qWz9'],
    byTag: { f8c69e91e17587c8: { pool: 4, user: 3 } },
  },
  {
    name: 'aquifer',
    programs: ['AQU1FRd7papthgdrwPTTq5JacJh8YtwEXaBfKU3bTz45'],
    any: { pool: 9, user: 1 },
    // An instance of the DEX has one vault for each token, and every two of them trade.
    isWide: () => true,
  },
  // Known only by its address.
  {
    name: 'exa6',
    programs: ['ExA6GYhHAeRNMWVNLrDir1SKPJZcZA2oaPq6uriSmxfJ'],
    any: { pool: 1, user: 0 },
  },
  {
    name: 'aldrinV2',
    programs: ['CURVGoZn8zycx6FXwwevgBTB2gVvdbGTEpvMJDbgs2t4'],
    byTag: { f8c69e91e17587c8: { pool: 0, user: 6 } },
  },
  {
    name: 'quantum',
    programs: ['QuaNtZsgYRe5Z9Bk4LZ4cTD9tbkVoyCNf1R2BN9bBDv'],
    byTag: { '07': { pool: 3, user: 0 } },
  },
  {
    name: 'archer',
    programs: ['Archer8kgiavM61GyusMzaaS2ft5sALtNsD1HxkUPMhy'],
    byTag: { '0f': { pool: 1, user: 0 } },
  },
  {
    name: 'binaryFi',
    programs: ['B72M6nyCLFgWiJtAN4naUTminMiTmyGcEqQHXwVeRdht'],
    byTag: { '08': { pool: 2, user: 0 } },
  },
  {
    name: 'whaleStreet',
    programs: ['FW6zUqn4iKRaeopwwhwsquTY6ABWLLgjxtrC3VPnaWBf'],
    byTag: { '2b04ed0b1ac91e62': { pool: 0, user: 5 } },
  },
  {
    name: 'sarosDlmm',
    programs: ['1qbkdrr3z4ryLA7pZykqxvxWPoeifcVKo6ZG9CfkvVE'],
    byTag: { f8c69e91e17587c8: { pool: 0, user: 9 } },
  },
  {
    name: 'stabbleClmm',
    programs: ['6dMXqGZ3ga2dikrYS9ovDXgHGh5RUsb2RTUj6hrQXhk6'],
    byTag: { '2b04ed0b1ac91e62': { pool: 2, user: 0 } },
  },
  {
    name: 'cropper',
    programs: ['H8W3ctz92svYg6mkn1UtGfu2aQr2fnUFHM1RhScEtQDt'],
    byTag: { f8c69e91e17587c8: { pool: 2, user: 1 } },
  },
  {
    name: 'bonkSwap',
    programs: ['BSwp6bEBihVLdqJRKGgzjcGLHkcTuzmSo1TQkHepzH8p'],
    byTag: { f8c69e91e17587c8: { pool: 1, user: 8 } },
  },
  {
    name: 'gavel',
    programs: ['srAMMzfVHVAtgSJc8iH6CfKzuWuUTzLHVCE81QU1rgi'],
    byTag: { '00': { pool: 2, user: 3 } },
  },
  {
    name: 'perena',
    programs: ['NUMERUNsFCP3kuNmWZuXtm1AaQCPj9uw6Guv2Ekoi5P'],
    // swap_exact_in, swap_exact_out, and both with hints.
    byTag: {
      '68688356a1bdb4d8': { pool: 0, user: 8 },
      fa49652126cf4bb8: { pool: 0, user: 8 },
      '62eff4e910ec2831': { pool: 0, user: 8 },
      '99d0ce463eea62b6': { pool: 0, user: 8 },
    },
    isWide: () => true,
  },
  {
    name: 'sanctumInfinity',
    programs: ['5ocnV1qiCgaQR8Jb8xWnVbApfaygJ8tNoZfgPwsgx9kx'],
    // swap_exact_in, swap_exact_out, and their second versions.
    byTag: {
      '01': { pool: 8, user: 0 },
      '02': { pool: 8, user: 0 },
      '17': { pool: 7, user: 0 },
      '18': { pool: 7, user: 0 },
    },
    isWide: () => true,
  },
  {
    name: 'metaDao',
    programs: ['FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'],
    // spot_swap
    byTag: { a7610ce7ed4ea6fb: { pool: 0, user: 5 } },
  },
  {
    name: 'omnipair',
    programs: ['omnixgS8fnqHfCcTGKWj6JtKjzpJZ1Y5y9pyFkQDkYE'],
    byTag: { f8c69e91e17587c8: { pool: 0, user: 9 } },
  },
]

export function transferVenue({
  name,
  programs,
  any,
  byTag = {},
  isWide,
}: TransferVenue): SolanaVenue {
  const instructions = Object.fromEntries(
    Object.entries(byTag).map(([tag, places]) => [tag, decodeByTransfers(places, isWide)]),
  )
  const otherwise = any && decodeByTransfers(any, isWide)
  return { name, kind: 'concentrated', programs, instructions, ...(otherwise && { otherwise }) }
}

export const poolsByTransfers: readonly SolanaVenue[] = rows.map(transferVenue)
