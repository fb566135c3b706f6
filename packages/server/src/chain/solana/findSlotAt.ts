import { type FetchContext, fetchRef, fetchSlots } from './fetchBlock.ts'

// Slots searched per request for one with a block. A longer gap takes several requests.
const slotsPerLook = 500

/**
 * Finds the first available slot with a block at or after a time; a slot after the newest block if
 * all are older.
 */
export async function findSlotAt(
  context: FetchContext,
  timeS: number,
  signal: AbortSignal,
): Promise<number> {
  const { rpc, commitment } = context
  const head = Number(await rpc.request('getSlot', [{ commitment }], { signal }))
  // Bisects slots by the first block at or after each: at `low` it may be too old, at `high` never.
  let low = Number(await rpc.request('getFirstAvailableBlock', [], { signal }))
  let high = head + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const slot = await firstFrom(context, middle, head, signal)
    const found = slot === null ? null : await fetchRef(context, slot, { signal })
    if (slot !== null && found !== null && found.value.timeS < timeS) low = slot + 1
    else high = middle
  }
  return (await firstFrom(context, low, head, signal)) ?? low
}

/**
 * Finds the first available slot with a block from a number on; the number itself if there is no
 * such slot.
 */
export async function findSlotFrom(
  context: FetchContext,
  number: number,
  signal: AbortSignal,
): Promise<number> {
  const { rpc, commitment } = context
  const head = Number(await rpc.request('getSlot', [{ commitment }], { signal }))
  const oldest = Number(await rpc.request('getFirstAvailableBlock', [], { signal }))
  return (await firstFrom(context, Math.max(number, oldest), head, signal)) ?? number
}

/** Returns null if no slot of the range has a block. */
async function firstFrom(
  context: FetchContext,
  from: number,
  last: number,
  signal: AbortSignal,
): Promise<number | null> {
  for (let at = from; at <= last; at += slotsPerLook) {
    const to = Math.min(last, at + slotsPerLook - 1)
    const [first] = await fetchSlots(context, { from: at, to }, { signal })
    if (first !== undefined) return first
  }
  return null
}
