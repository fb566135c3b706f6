// A script of its own, which is there long before the rest: key and first klines are on their way while that is being evaluated.
import { askEarly } from './data/earlyAnswers.ts'
import { startSession } from './data/session.ts'
import { firstKlines } from './lib/firstKlines.ts'

startSession()
const path = firstKlines(location.pathname, new URLSearchParams(location.search))
if (path !== null) askEarly(path)
