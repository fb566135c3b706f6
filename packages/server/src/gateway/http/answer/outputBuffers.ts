/** Buffers that answers go out of. Used again and again: the bytes of new ones would drive the garbage collector. */
export type OutputBuffers = {
  /** One that has room, or null for an answer of an unusual size. */
  take(sizeBytes: number): Buffer | null
  /** When the answer is on its way, or nobody waits for it any more. */
  giveBack(buffer: Buffer): void
}

// A token with its pairs, a batch of 200 prices, a page of rows, and the longest list of rows.
const sizesBytes = [8_192, 131_072, 1_048_576, 2_097_152] as const
// Of each size, as many as may be under way at once on a busy service; those beyond are let go.
const keptBytesMax = 33_554_432

export function createOutputBuffers(): OutputBuffers {
  const classes = sizesBytes.map((sizeBytes) => ({ sizeBytes, kept: [] as Buffer[] }))
  return {
    take(sizeBytes) {
      for (const of of classes)
        if (sizeBytes <= of.sizeBytes) return of.kept.pop() ?? Buffer.allocUnsafeSlow(of.sizeBytes)
      return null
    },
    giveBack(buffer) {
      const of = classes.find(({ sizeBytes }) => sizeBytes === buffer.length)
      if (of !== undefined && (of.kept.length + 1) * of.sizeBytes <= keptBytesMax)
        of.kept.push(buffer)
    },
  }
}
