/** What the work gives, or `late` when it takes longer than that. How late work ends is nobody's business. */
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
