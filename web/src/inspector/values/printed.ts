// Elements as PyTorch prints them: one format for all that are printed together.

import { asHeld, exact, type ValueElement } from '../../facts/elements';

const PRECISION = 4;
const MINUS = '−';

/** How elements that are seen together are written. */
export function printed(elements: readonly ValueElement[], dtype: string): (element: ValueElement) => string {
  if (!isFloating(dtype) && !isComplex(dtype)) return (element) => exact(element, dtype);
  if (!isComplex(dtype)) {
    const format = realFormat(elements.map((element) => asHeld(element, dtype)));
    return (element) => format(asHeld(element, dtype));
  }
  const re = realFormat(elements.map((element) => (Array.isArray(element) ? element[0]! : element)));
  const im = realFormat(elements.map((element) => (Array.isArray(element) ? element[1]! : 0)));
  return (element) => {
    if (!Array.isArray(element)) return re(element);
    const imaginary = im(element[1]!);
    return `${re(element[0]!)}${imaginary.startsWith(MINUS) ? '' : '+'}${imaginary}j`;
  };
}

export function isFloating(dtype: string): boolean {
  return /float/.test(dtype);
}

export function isComplex(dtype: string): boolean {
  return /complex/.test(dtype);
}

function realFormat(elements: readonly ValueElement[]): (element: ValueElement) => string {
  const sizes = elements.flatMap((one) => (typeof one === 'number' && one !== 0 ? [Math.abs(one)] : []));
  const most = Math.max(0, ...sizes);
  const least = Math.min(Number.POSITIVE_INFINITY, ...sizes);
  const isWhole = sizes.every(Number.isInteger);
  const isScientific = sizes.length > 0 && (most / least > 1000 || most > 1e8 || least < 1e-4);
  return (element) => {
    if (typeof element !== 'number') {
      return element === 'NaN' ? 'nan' : element === 'Infinity' ? 'inf' : element === '-Infinity' ? `${MINUS}inf` : '';
    }
    const size = Math.abs(element);
    const text = isScientific ? scientific(size) : isWhole ? `${size}.` : size.toFixed(PRECISION);
    return element < 0 || Object.is(element, -0) ? `${MINUS}${text}` : text;
  };
}

function scientific(size: number): string {
  const [digits, power] = size.toExponential(PRECISION).split('e');
  const sign = power!.startsWith('-') ? MINUS : '+';
  return `${digits}e${sign}${power!.slice(1).padStart(2, '0')}`;
}
