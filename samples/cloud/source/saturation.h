real(r8) :: share, es_liquid, es_ice, es_mixed, latent, saturated, slope, x, y
share(x) = min(1.0_r8, ((max(WATER freeze, min(WATER melt, x)) - WATER freeze)/(WATER melt - WATER freeze))**2)
es_liquid(x) = WATER e0*exp(WATER a_liquid*(x - WATER melt)/(x - WATER b_liquid))
es_ice(x) = WATER e0*exp(WATER a_ice*(x - WATER melt)/(x - WATER b_ice))
es_mixed(x) = share(x)*es_liquid(x) + (1.0_r8 - share(x))*es_ice(x)
latent(x) = share(x)*THERMO vaporise + (1.0_r8 - share(x))*THERMO sublimate
saturated(x, y) = min(0.5_r8, THERMO ratio*es_mixed(x)/y)
slope(x, y) = saturated(x, y)*WATER a_liquid*(WATER melt - WATER b_liquid)/(x - WATER b_liquid)**2
