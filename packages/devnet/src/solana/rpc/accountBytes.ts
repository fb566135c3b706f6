// Accounts of tokens and pools, byte by byte as their programs store them.
import { bytesOf, hex, keyBytesOf, keyOf, tokenProgram, u64 } from '../transactionBuilder.ts'
import type { CpmmPool, Curve, Pool, TokenHolding, World } from '../world.ts'

/** Settings accounts of PumpSwap and of pump.fun's curve. */
export const pumpSwapSettings = 'ADyA8hdefvWN2dbGGWFotbzWxrAvLW83WG6QCVXvJKqw'
export const pumpCurveSettings = '4wTV1YmiEkRvAtNtsSGPtUrqRYQMe5SKy2uB4Jjaxnjf'
const feeRecipient = keyOf('pump fees')

const initialized = 1
const frozen = 2

export function tokenAccountBytes({ mint, owner, amount, isFrozen = false }: TokenHolding): Buffer {
  return bytesOf(165, {
    0: keyBytesOf(mint),
    32: keyBytesOf(owner),
    64: u64(amount),
    108: Buffer.of(isFrozen ? frozen : initialized),
  })
}

/** Its pool shares have no owner: the generator does not create any. */
export function cpmmBytes({ pool, mints, vaults, owed }: CpmmPool, world: World): Buffer {
  const programOf = (mint: string) => world.mints.get(mint)?.program ?? tokenProgram
  const keys = [
    ...[keyOf('cpmm config'), keyOf(`maker of ${pool}`), ...vaults, keyOf(`lp of ${pool}`)],
    ...[...mints, ...mints.map(programOf), keyOf('observation')],
  ]
  const head = Buffer.concat([hex('f7ede3f5d7c3de46'), ...keys.map(keyBytesOf)])
  return bytesOf(637, { 0: head, 341: u64(...owed) })
}

export function pumpPoolBytes({ pool, mints, vaults }: Pool): Buffer {
  return bytesOf(300, {
    0: hex('f19a6d0411b16dbc'),
    11: keyBytesOf(keyOf(`pool authority of ${mints[0]}`)),
    43: keyBytesOf(mints[0]),
    75: keyBytesOf(mints[1]),
    107: keyBytesOf(keyOf(`lp of ${pool}`)),
    139: keyBytesOf(vaults[0]),
    171: keyBytesOf(vaults[1]),
    211: keyBytesOf(keyOf(`coin creator of ${pool}`)),
  })
}

export function pumpSettingsBytes(): Buffer {
  const recipients = Buffer.concat(Array.from({ length: 8 }, () => keyBytesOf(feeRecipient)))
  return bytesOf(949, { 0: hex('95089ccaa0fcb0d9'), 57: recipients })
}

/** Paid in SOL, without fields of later versions. */
export function curveBytes(curve: Curve): Buffer {
  const { virtualTokens, virtualSol, realTokens, realSol, isComplete, creator } = curve
  const reserves = [virtualTokens, virtualSol, realTokens, realSol, 1_000_000_000_000_000n]
  return bytesOf(151, {
    0: hex('17b7f83760d8ac60'),
    8: u64(...reserves),
    48: Buffer.of(isComplete ? 1 : 0),
    49: keyBytesOf(creator),
  })
}

export function curveSettingsBytes(): Buffer {
  const recipient = keyBytesOf(feeRecipient)
  return bytesOf(1_045, {
    0: hex('a7e8e8b1c86c727f'),
    41: recipient,
    483: recipient,
    741: recipient,
  })
}
