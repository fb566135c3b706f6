import type { ByteReader } from '../lib/bytes/byteReader.ts'
import type { ByteWriter } from '../lib/bytes/byteWriter.ts'
import type {
  FinishedEvent,
  FinishedLiquidity,
  FinishedState,
  FinishedSwap,
} from '../model/finishedBlock.ts'

// Positions are stored: add at the end, never reorder.
const eventTypes = ['swap', 'liquidity', 'sync', 'launch', 'curve', 'graduation'] as const
const liquidityKinds = ['add', 'remove', 'collect', 'create'] as const

export function encodeEvent(writer: ByteWriter, event: FinishedEvent): void {
  writer.byte(eventTypes.indexOf(event.type))
  writer.whole(event.index)
  switch (event.type) {
    case 'swap':
      encodeSwap(writer, event)
      break
    case 'liquidity':
      encodeLiquidity(writer, event)
      break
    case 'sync':
      writer.whole(event.pairId)
      encodeState(writer, event)
      break
    case 'launch':
      writer.text(event.txHash)
      writer.text(event.wallet)
      writer.whole(event.pairId)
      writer.whole(event.tokenId)
      writer.text(event.creator)
      break
    case 'curve':
      writer.whole(event.pairId)
      writer.whole(event.filledPpm)
      break
    case 'graduation':
      writer.text(event.txHash)
      writer.text(event.wallet)
      writer.whole(event.tokenId)
      writer.whole(event.curvePairId)
      writer.whole(event.pairId)
      break
  }
}

export function decodeEvent(reader: ByteReader): FinishedEvent {
  const type = reader.choice(eventTypes)
  const index = reader.whole()
  switch (type) {
    case 'swap':
      return decodeSwap(reader, index)
    case 'liquidity':
      return decodeLiquidity(reader, index)
    case 'sync':
      return { type, index, pairId: reader.whole(), ...decodeState(reader) }
    case 'launch':
      return {
        type,
        index,
        txHash: reader.text(),
        wallet: reader.text(),
        pairId: reader.whole(),
        tokenId: reader.whole(),
        creator: reader.text(),
      }
    case 'curve':
      return { type, index, pairId: reader.whole(), filledPpm: reader.whole() }
    case 'graduation':
      return {
        type,
        index,
        txHash: reader.text(),
        wallet: reader.text(),
        tokenId: reader.whole(),
        curvePairId: reader.whole(),
        pairId: reader.whole(),
      }
  }
}

function encodeSwap(writer: ByteWriter, swap: FinishedSwap): void {
  writer.text(swap.txHash)
  writer.text(swap.wallet)
  writer.whole(swap.pairId)
  writer.text(swap.sender)
  writer.text(swap.to)
  writer.amount(swap.amount0)
  writer.amount(swap.amount1)
  encodeState(writer, swap)
  writer.amountOrNull(swap.holding0)
  writer.amountOrNull(swap.holding1)
  writer.amountOrNull(swap.native)
  writer.whole(swap.accountFlags)
}

function decodeSwap(reader: ByteReader, index: number): FinishedSwap {
  return {
    type: 'swap',
    index,
    txHash: reader.text(),
    wallet: reader.text(),
    pairId: reader.whole(),
    sender: reader.text(),
    to: reader.text(),
    amount0: reader.amount(),
    amount1: reader.amount(),
    reserve0: reader.amount(),
    reserve1: reader.amount(),
    priceRaw: reader.float(),
    holding0: reader.amountOrNull(),
    holding1: reader.amountOrNull(),
    native: reader.amountOrNull(),
    accountFlags: reader.whole(),
  }
}

function encodeLiquidity(writer: ByteWriter, liquidity: FinishedLiquidity): void {
  writer.byte(liquidityKinds.indexOf(liquidity.kind))
  writer.text(liquidity.txHash)
  writer.text(liquidity.wallet)
  writer.whole(liquidity.pairId)
  writer.text(liquidity.sender)
  writer.amount(liquidity.amount0)
  writer.amount(liquidity.amount1)
  encodeState(writer, liquidity)
}

function decodeLiquidity(reader: ByteReader, index: number): FinishedLiquidity {
  return {
    type: 'liquidity',
    index,
    kind: reader.choice(liquidityKinds),
    txHash: reader.text(),
    wallet: reader.text(),
    pairId: reader.whole(),
    sender: reader.text(),
    amount0: reader.amount(),
    amount1: reader.amount(),
    ...decodeState(reader),
  }
}

function encodeState(writer: ByteWriter, state: FinishedState): void {
  writer.amount(state.reserve0)
  writer.amount(state.reserve1)
  writer.float(state.priceRaw)
}

function decodeState(reader: ByteReader): FinishedState {
  return { reserve0: reader.amount(), reserve1: reader.amount(), priceRaw: reader.float() }
}
