import { LogGapError } from './errors.ts'

/** Each the next of the one before, the first that of `seq`: over a hole in the log any market would be a wrong one. */
export async function* withoutHole<place extends { seq: number }>(
  places: AsyncIterable<place>,
  chain: string,
  seq: number,
): AsyncGenerator<place, void, undefined> {
  let readSeq = seq
  for await (const place of places) {
    if (place.seq !== readSeq + 1) throw new LogGapError({ chain, readSeq, foundSeq: place.seq })
    readSeq = place.seq
    yield place
  }
}
