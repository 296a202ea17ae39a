"""Names of the functions of C's standard library, and of a program's own.  Source: C17, annex B."""

from __future__ import annotations

_TEXT = """
isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper
feclearexcept fegetexceptflag feraiseexcept fesetexceptflag fetestexcept fegetround fesetround feholdexcept
imaxabs imaxdiv strtoimax strtoumax wcstoimax wcstoumax setlocale localeconv longjmp signal raise
remove rename tmpfile tmpnam fclose fflush fopen freopen setbuf setvbuf fprintf fscanf printf scanf snprintf sprintf
sscanf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf fgetc fgets fputc fputs getc getchar putc putchar
puts ungetc fread fwrite fgetpos fseek fsetpos ftell rewind clearerr feof ferror perror atof atoi atol atoll strtod
strtof strtold strtol strtoll strtoul strtoull rand srand aligned_alloc malloc realloc abort atexit at_quick_exit exit
_Exit quick_exit system bsearch qsort abs labs llabs div ldiv lldiv mblen mbtowc wctomb mbstowcs wcstombs
strcpy strncpy strcat strncat strcmp strcoll strncmp strxfrm memchr strchr strcspn strpbrk strrchr strspn strstr
strtok strerror strlen call_once thrd_create thrd_join thrd_exit thrd_sleep thrd_yield mtx_init mtx_lock mtx_unlock
clock difftime mktime time timespec_get asctime ctime gmtime localtime strftime main
"""
_MATHEMATICS = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax
fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint
nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc
"""
_ENVIRONMENT = [f"{what}env" for what in ("get", "feget", "feset", "feupdate")]
NAMES = frozenset(
    [*_TEXT.split(), *_ENVIRONMENT, *(name + end for name in _MATHEMATICS.split() for end in ("", "f", "l"))]
)
