// The mark that the client checks in every push: its number, its time, and a checksum of both, as
// 64 hex digits.

export function nowNs(): bigint {
  return process.hrtime.bigint()
}

/** The mark in the form of a transaction hash. */
export function pushMark(seq: number, timeNs: bigint): string {
  const text = seq.toString(16).padStart(16, '0') + timeNs.toString(16).padStart(16, '0')
  let check = 2_166_136_261
  for (let at = 0; at < text.length; at += 1)
    check = Math.imul(check ^ text.charCodeAt(at), 16_777_619)
  return `0x${text}${(check >>> 0).toString(16).padStart(8, '0').repeat(4)}`
}
