/**
 * Returns the result of the work, or `late` when it takes longer. A failure after that is ignored.
 */
export async function withinMs<value, late>(
  work: Promise<value>,
  timeMs: number,
  late: late,
): Promise<value | late> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<late>((resolve) => {
    timer = setTimeout(resolve, timeMs, late)
  })
  try {
    return await Promise.race([work, timeUp])
  } finally {
    clearTimeout(timer)
  }
}
