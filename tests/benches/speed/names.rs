//! The names of the tools of large steps: each macro hands so many of them to another one, which makes a step of them.

macro_rules! one {
    ($make:ident $step:ident) => {
        $make! { $step:
            tool_0000
        }
    };
}

macro_rules! two_hundred {
    ($make:ident $step:ident) => {
        $make! { $step:
            tool_0000 tool_0001 tool_0002 tool_0003 tool_0004 tool_0005 tool_0006 tool_0007 tool_0008 tool_0009
            tool_0010 tool_0011 tool_0012 tool_0013 tool_0014 tool_0015 tool_0016 tool_0017 tool_0018 tool_0019
            tool_0020 tool_0021 tool_0022 tool_0023 tool_0024 tool_0025 tool_0026 tool_0027 tool_0028 tool_0029
            tool_0030 tool_0031 tool_0032 tool_0033 tool_0034 tool_0035 tool_0036 tool_0037 tool_0038 tool_0039
            tool_0040 tool_0041 tool_0042 tool_0043 tool_0044 tool_0045 tool_0046 tool_0047 tool_0048 tool_0049
            tool_0050 tool_0051 tool_0052 tool_0053 tool_0054 tool_0055 tool_0056 tool_0057 tool_0058 tool_0059
            tool_0060 tool_0061 tool_0062 tool_0063 tool_0064 tool_0065 tool_0066 tool_0067 tool_0068 tool_0069
            tool_0070 tool_0071 tool_0072 tool_0073 tool_0074 tool_0075 tool_0076 tool_0077 tool_0078 tool_0079
            tool_0080 tool_0081 tool_0082 tool_0083 tool_0084 tool_0085 tool_0086 tool_0087 tool_0088 tool_0089
            tool_0090 tool_0091 tool_0092 tool_0093 tool_0094 tool_0095 tool_0096 tool_0097 tool_0098 tool_0099
            tool_0100 tool_0101 tool_0102 tool_0103 tool_0104 tool_0105 tool_0106 tool_0107 tool_0108 tool_0109
            tool_0110 tool_0111 tool_0112 tool_0113 tool_0114 tool_0115 tool_0116 tool_0117 tool_0118 tool_0119
            tool_0120 tool_0121 tool_0122 tool_0123 tool_0124 tool_0125 tool_0126 tool_0127 tool_0128 tool_0129
            tool_0130 tool_0131 tool_0132 tool_0133 tool_0134 tool_0135 tool_0136 tool_0137 tool_0138 tool_0139
            tool_0140 tool_0141 tool_0142 tool_0143 tool_0144 tool_0145 tool_0146 tool_0147 tool_0148 tool_0149
            tool_0150 tool_0151 tool_0152 tool_0153 tool_0154 tool_0155 tool_0156 tool_0157 tool_0158 tool_0159
            tool_0160 tool_0161 tool_0162 tool_0163 tool_0164 tool_0165 tool_0166 tool_0167 tool_0168 tool_0169
            tool_0170 tool_0171 tool_0172 tool_0173 tool_0174 tool_0175 tool_0176 tool_0177 tool_0178 tool_0179
            tool_0180 tool_0181 tool_0182 tool_0183 tool_0184 tool_0185 tool_0186 tool_0187 tool_0188 tool_0189
            tool_0190 tool_0191 tool_0192 tool_0193 tool_0194 tool_0195 tool_0196 tool_0197 tool_0198 tool_0199
        }
    };
}

macro_rules! two_thousand {
    ($make:ident $step:ident) => {
        $make! { $step:
            tool_0000 tool_0001 tool_0002 tool_0003 tool_0004 tool_0005 tool_0006 tool_0007 tool_0008 tool_0009
            tool_0010 tool_0011 tool_0012 tool_0013 tool_0014 tool_0015 tool_0016 tool_0017 tool_0018 tool_0019
            tool_0020 tool_0021 tool_0022 tool_0023 tool_0024 tool_0025 tool_0026 tool_0027 tool_0028 tool_0029
            tool_0030 tool_0031 tool_0032 tool_0033 tool_0034 tool_0035 tool_0036 tool_0037 tool_0038 tool_0039
            tool_0040 tool_0041 tool_0042 tool_0043 tool_0044 tool_0045 tool_0046 tool_0047 tool_0048 tool_0049
            tool_0050 tool_0051 tool_0052 tool_0053 tool_0054 tool_0055 tool_0056 tool_0057 tool_0058 tool_0059
            tool_0060 tool_0061 tool_0062 tool_0063 tool_0064 tool_0065 tool_0066 tool_0067 tool_0068 tool_0069
            tool_0070 tool_0071 tool_0072 tool_0073 tool_0074 tool_0075 tool_0076 tool_0077 tool_0078 tool_0079
            tool_0080 tool_0081 tool_0082 tool_0083 tool_0084 tool_0085 tool_0086 tool_0087 tool_0088 tool_0089
            tool_0090 tool_0091 tool_0092 tool_0093 tool_0094 tool_0095 tool_0096 tool_0097 tool_0098 tool_0099
            tool_0100 tool_0101 tool_0102 tool_0103 tool_0104 tool_0105 tool_0106 tool_0107 tool_0108 tool_0109
            tool_0110 tool_0111 tool_0112 tool_0113 tool_0114 tool_0115 tool_0116 tool_0117 tool_0118 tool_0119
            tool_0120 tool_0121 tool_0122 tool_0123 tool_0124 tool_0125 tool_0126 tool_0127 tool_0128 tool_0129
            tool_0130 tool_0131 tool_0132 tool_0133 tool_0134 tool_0135 tool_0136 tool_0137 tool_0138 tool_0139
            tool_0140 tool_0141 tool_0142 tool_0143 tool_0144 tool_0145 tool_0146 tool_0147 tool_0148 tool_0149
            tool_0150 tool_0151 tool_0152 tool_0153 tool_0154 tool_0155 tool_0156 tool_0157 tool_0158 tool_0159
            tool_0160 tool_0161 tool_0162 tool_0163 tool_0164 tool_0165 tool_0166 tool_0167 tool_0168 tool_0169
            tool_0170 tool_0171 tool_0172 tool_0173 tool_0174 tool_0175 tool_0176 tool_0177 tool_0178 tool_0179
            tool_0180 tool_0181 tool_0182 tool_0183 tool_0184 tool_0185 tool_0186 tool_0187 tool_0188 tool_0189
            tool_0190 tool_0191 tool_0192 tool_0193 tool_0194 tool_0195 tool_0196 tool_0197 tool_0198 tool_0199
            tool_0200 tool_0201 tool_0202 tool_0203 tool_0204 tool_0205 tool_0206 tool_0207 tool_0208 tool_0209
            tool_0210 tool_0211 tool_0212 tool_0213 tool_0214 tool_0215 tool_0216 tool_0217 tool_0218 tool_0219
            tool_0220 tool_0221 tool_0222 tool_0223 tool_0224 tool_0225 tool_0226 tool_0227 tool_0228 tool_0229
            tool_0230 tool_0231 tool_0232 tool_0233 tool_0234 tool_0235 tool_0236 tool_0237 tool_0238 tool_0239
            tool_0240 tool_0241 tool_0242 tool_0243 tool_0244 tool_0245 tool_0246 tool_0247 tool_0248 tool_0249
            tool_0250 tool_0251 tool_0252 tool_0253 tool_0254 tool_0255 tool_0256 tool_0257 tool_0258 tool_0259
            tool_0260 tool_0261 tool_0262 tool_0263 tool_0264 tool_0265 tool_0266 tool_0267 tool_0268 tool_0269
            tool_0270 tool_0271 tool_0272 tool_0273 tool_0274 tool_0275 tool_0276 tool_0277 tool_0278 tool_0279
            tool_0280 tool_0281 tool_0282 tool_0283 tool_0284 tool_0285 tool_0286 tool_0287 tool_0288 tool_0289
            tool_0290 tool_0291 tool_0292 tool_0293 tool_0294 tool_0295 tool_0296 tool_0297 tool_0298 tool_0299
            tool_0300 tool_0301 tool_0302 tool_0303 tool_0304 tool_0305 tool_0306 tool_0307 tool_0308 tool_0309
            tool_0310 tool_0311 tool_0312 tool_0313 tool_0314 tool_0315 tool_0316 tool_0317 tool_0318 tool_0319
            tool_0320 tool_0321 tool_0322 tool_0323 tool_0324 tool_0325 tool_0326 tool_0327 tool_0328 tool_0329
            tool_0330 tool_0331 tool_0332 tool_0333 tool_0334 tool_0335 tool_0336 tool_0337 tool_0338 tool_0339
            tool_0340 tool_0341 tool_0342 tool_0343 tool_0344 tool_0345 tool_0346 tool_0347 tool_0348 tool_0349
            tool_0350 tool_0351 tool_0352 tool_0353 tool_0354 tool_0355 tool_0356 tool_0357 tool_0358 tool_0359
            tool_0360 tool_0361 tool_0362 tool_0363 tool_0364 tool_0365 tool_0366 tool_0367 tool_0368 tool_0369
            tool_0370 tool_0371 tool_0372 tool_0373 tool_0374 tool_0375 tool_0376 tool_0377 tool_0378 tool_0379
            tool_0380 tool_0381 tool_0382 tool_0383 tool_0384 tool_0385 tool_0386 tool_0387 tool_0388 tool_0389
            tool_0390 tool_0391 tool_0392 tool_0393 tool_0394 tool_0395 tool_0396 tool_0397 tool_0398 tool_0399
            tool_0400 tool_0401 tool_0402 tool_0403 tool_0404 tool_0405 tool_0406 tool_0407 tool_0408 tool_0409
            tool_0410 tool_0411 tool_0412 tool_0413 tool_0414 tool_0415 tool_0416 tool_0417 tool_0418 tool_0419
            tool_0420 tool_0421 tool_0422 tool_0423 tool_0424 tool_0425 tool_0426 tool_0427 tool_0428 tool_0429
            tool_0430 tool_0431 tool_0432 tool_0433 tool_0434 tool_0435 tool_0436 tool_0437 tool_0438 tool_0439
            tool_0440 tool_0441 tool_0442 tool_0443 tool_0444 tool_0445 tool_0446 tool_0447 tool_0448 tool_0449
            tool_0450 tool_0451 tool_0452 tool_0453 tool_0454 tool_0455 tool_0456 tool_0457 tool_0458 tool_0459
            tool_0460 tool_0461 tool_0462 tool_0463 tool_0464 tool_0465 tool_0466 tool_0467 tool_0468 tool_0469
            tool_0470 tool_0471 tool_0472 tool_0473 tool_0474 tool_0475 tool_0476 tool_0477 tool_0478 tool_0479
            tool_0480 tool_0481 tool_0482 tool_0483 tool_0484 tool_0485 tool_0486 tool_0487 tool_0488 tool_0489
            tool_0490 tool_0491 tool_0492 tool_0493 tool_0494 tool_0495 tool_0496 tool_0497 tool_0498 tool_0499
            tool_0500 tool_0501 tool_0502 tool_0503 tool_0504 tool_0505 tool_0506 tool_0507 tool_0508 tool_0509
            tool_0510 tool_0511 tool_0512 tool_0513 tool_0514 tool_0515 tool_0516 tool_0517 tool_0518 tool_0519
            tool_0520 tool_0521 tool_0522 tool_0523 tool_0524 tool_0525 tool_0526 tool_0527 tool_0528 tool_0529
            tool_0530 tool_0531 tool_0532 tool_0533 tool_0534 tool_0535 tool_0536 tool_0537 tool_0538 tool_0539
            tool_0540 tool_0541 tool_0542 tool_0543 tool_0544 tool_0545 tool_0546 tool_0547 tool_0548 tool_0549
            tool_0550 tool_0551 tool_0552 tool_0553 tool_0554 tool_0555 tool_0556 tool_0557 tool_0558 tool_0559
            tool_0560 tool_0561 tool_0562 tool_0563 tool_0564 tool_0565 tool_0566 tool_0567 tool_0568 tool_0569
            tool_0570 tool_0571 tool_0572 tool_0573 tool_0574 tool_0575 tool_0576 tool_0577 tool_0578 tool_0579
            tool_0580 tool_0581 tool_0582 tool_0583 tool_0584 tool_0585 tool_0586 tool_0587 tool_0588 tool_0589
            tool_0590 tool_0591 tool_0592 tool_0593 tool_0594 tool_0595 tool_0596 tool_0597 tool_0598 tool_0599
            tool_0600 tool_0601 tool_0602 tool_0603 tool_0604 tool_0605 tool_0606 tool_0607 tool_0608 tool_0609
            tool_0610 tool_0611 tool_0612 tool_0613 tool_0614 tool_0615 tool_0616 tool_0617 tool_0618 tool_0619
            tool_0620 tool_0621 tool_0622 tool_0623 tool_0624 tool_0625 tool_0626 tool_0627 tool_0628 tool_0629
            tool_0630 tool_0631 tool_0632 tool_0633 tool_0634 tool_0635 tool_0636 tool_0637 tool_0638 tool_0639
            tool_0640 tool_0641 tool_0642 tool_0643 tool_0644 tool_0645 tool_0646 tool_0647 tool_0648 tool_0649
            tool_0650 tool_0651 tool_0652 tool_0653 tool_0654 tool_0655 tool_0656 tool_0657 tool_0658 tool_0659
            tool_0660 tool_0661 tool_0662 tool_0663 tool_0664 tool_0665 tool_0666 tool_0667 tool_0668 tool_0669
            tool_0670 tool_0671 tool_0672 tool_0673 tool_0674 tool_0675 tool_0676 tool_0677 tool_0678 tool_0679
            tool_0680 tool_0681 tool_0682 tool_0683 tool_0684 tool_0685 tool_0686 tool_0687 tool_0688 tool_0689
            tool_0690 tool_0691 tool_0692 tool_0693 tool_0694 tool_0695 tool_0696 tool_0697 tool_0698 tool_0699
            tool_0700 tool_0701 tool_0702 tool_0703 tool_0704 tool_0705 tool_0706 tool_0707 tool_0708 tool_0709
            tool_0710 tool_0711 tool_0712 tool_0713 tool_0714 tool_0715 tool_0716 tool_0717 tool_0718 tool_0719
            tool_0720 tool_0721 tool_0722 tool_0723 tool_0724 tool_0725 tool_0726 tool_0727 tool_0728 tool_0729
            tool_0730 tool_0731 tool_0732 tool_0733 tool_0734 tool_0735 tool_0736 tool_0737 tool_0738 tool_0739
            tool_0740 tool_0741 tool_0742 tool_0743 tool_0744 tool_0745 tool_0746 tool_0747 tool_0748 tool_0749
            tool_0750 tool_0751 tool_0752 tool_0753 tool_0754 tool_0755 tool_0756 tool_0757 tool_0758 tool_0759
            tool_0760 tool_0761 tool_0762 tool_0763 tool_0764 tool_0765 tool_0766 tool_0767 tool_0768 tool_0769
            tool_0770 tool_0771 tool_0772 tool_0773 tool_0774 tool_0775 tool_0776 tool_0777 tool_0778 tool_0779
            tool_0780 tool_0781 tool_0782 tool_0783 tool_0784 tool_0785 tool_0786 tool_0787 tool_0788 tool_0789
            tool_0790 tool_0791 tool_0792 tool_0793 tool_0794 tool_0795 tool_0796 tool_0797 tool_0798 tool_0799
            tool_0800 tool_0801 tool_0802 tool_0803 tool_0804 tool_0805 tool_0806 tool_0807 tool_0808 tool_0809
            tool_0810 tool_0811 tool_0812 tool_0813 tool_0814 tool_0815 tool_0816 tool_0817 tool_0818 tool_0819
            tool_0820 tool_0821 tool_0822 tool_0823 tool_0824 tool_0825 tool_0826 tool_0827 tool_0828 tool_0829
            tool_0830 tool_0831 tool_0832 tool_0833 tool_0834 tool_0835 tool_0836 tool_0837 tool_0838 tool_0839
            tool_0840 tool_0841 tool_0842 tool_0843 tool_0844 tool_0845 tool_0846 tool_0847 tool_0848 tool_0849
            tool_0850 tool_0851 tool_0852 tool_0853 tool_0854 tool_0855 tool_0856 tool_0857 tool_0858 tool_0859
            tool_0860 tool_0861 tool_0862 tool_0863 tool_0864 tool_0865 tool_0866 tool_0867 tool_0868 tool_0869
            tool_0870 tool_0871 tool_0872 tool_0873 tool_0874 tool_0875 tool_0876 tool_0877 tool_0878 tool_0879
            tool_0880 tool_0881 tool_0882 tool_0883 tool_0884 tool_0885 tool_0886 tool_0887 tool_0888 tool_0889
            tool_0890 tool_0891 tool_0892 tool_0893 tool_0894 tool_0895 tool_0896 tool_0897 tool_0898 tool_0899
            tool_0900 tool_0901 tool_0902 tool_0903 tool_0904 tool_0905 tool_0906 tool_0907 tool_0908 tool_0909
            tool_0910 tool_0911 tool_0912 tool_0913 tool_0914 tool_0915 tool_0916 tool_0917 tool_0918 tool_0919
            tool_0920 tool_0921 tool_0922 tool_0923 tool_0924 tool_0925 tool_0926 tool_0927 tool_0928 tool_0929
            tool_0930 tool_0931 tool_0932 tool_0933 tool_0934 tool_0935 tool_0936 tool_0937 tool_0938 tool_0939
            tool_0940 tool_0941 tool_0942 tool_0943 tool_0944 tool_0945 tool_0946 tool_0947 tool_0948 tool_0949
            tool_0950 tool_0951 tool_0952 tool_0953 tool_0954 tool_0955 tool_0956 tool_0957 tool_0958 tool_0959
            tool_0960 tool_0961 tool_0962 tool_0963 tool_0964 tool_0965 tool_0966 tool_0967 tool_0968 tool_0969
            tool_0970 tool_0971 tool_0972 tool_0973 tool_0974 tool_0975 tool_0976 tool_0977 tool_0978 tool_0979
            tool_0980 tool_0981 tool_0982 tool_0983 tool_0984 tool_0985 tool_0986 tool_0987 tool_0988 tool_0989
            tool_0990 tool_0991 tool_0992 tool_0993 tool_0994 tool_0995 tool_0996 tool_0997 tool_0998 tool_0999
            tool_1000 tool_1001 tool_1002 tool_1003 tool_1004 tool_1005 tool_1006 tool_1007 tool_1008 tool_1009
            tool_1010 tool_1011 tool_1012 tool_1013 tool_1014 tool_1015 tool_1016 tool_1017 tool_1018 tool_1019
            tool_1020 tool_1021 tool_1022 tool_1023 tool_1024 tool_1025 tool_1026 tool_1027 tool_1028 tool_1029
            tool_1030 tool_1031 tool_1032 tool_1033 tool_1034 tool_1035 tool_1036 tool_1037 tool_1038 tool_1039
            tool_1040 tool_1041 tool_1042 tool_1043 tool_1044 tool_1045 tool_1046 tool_1047 tool_1048 tool_1049
            tool_1050 tool_1051 tool_1052 tool_1053 tool_1054 tool_1055 tool_1056 tool_1057 tool_1058 tool_1059
            tool_1060 tool_1061 tool_1062 tool_1063 tool_1064 tool_1065 tool_1066 tool_1067 tool_1068 tool_1069
            tool_1070 tool_1071 tool_1072 tool_1073 tool_1074 tool_1075 tool_1076 tool_1077 tool_1078 tool_1079
            tool_1080 tool_1081 tool_1082 tool_1083 tool_1084 tool_1085 tool_1086 tool_1087 tool_1088 tool_1089
            tool_1090 tool_1091 tool_1092 tool_1093 tool_1094 tool_1095 tool_1096 tool_1097 tool_1098 tool_1099
            tool_1100 tool_1101 tool_1102 tool_1103 tool_1104 tool_1105 tool_1106 tool_1107 tool_1108 tool_1109
            tool_1110 tool_1111 tool_1112 tool_1113 tool_1114 tool_1115 tool_1116 tool_1117 tool_1118 tool_1119
            tool_1120 tool_1121 tool_1122 tool_1123 tool_1124 tool_1125 tool_1126 tool_1127 tool_1128 tool_1129
            tool_1130 tool_1131 tool_1132 tool_1133 tool_1134 tool_1135 tool_1136 tool_1137 tool_1138 tool_1139
            tool_1140 tool_1141 tool_1142 tool_1143 tool_1144 tool_1145 tool_1146 tool_1147 tool_1148 tool_1149
            tool_1150 tool_1151 tool_1152 tool_1153 tool_1154 tool_1155 tool_1156 tool_1157 tool_1158 tool_1159
            tool_1160 tool_1161 tool_1162 tool_1163 tool_1164 tool_1165 tool_1166 tool_1167 tool_1168 tool_1169
            tool_1170 tool_1171 tool_1172 tool_1173 tool_1174 tool_1175 tool_1176 tool_1177 tool_1178 tool_1179
            tool_1180 tool_1181 tool_1182 tool_1183 tool_1184 tool_1185 tool_1186 tool_1187 tool_1188 tool_1189
            tool_1190 tool_1191 tool_1192 tool_1193 tool_1194 tool_1195 tool_1196 tool_1197 tool_1198 tool_1199
            tool_1200 tool_1201 tool_1202 tool_1203 tool_1204 tool_1205 tool_1206 tool_1207 tool_1208 tool_1209
            tool_1210 tool_1211 tool_1212 tool_1213 tool_1214 tool_1215 tool_1216 tool_1217 tool_1218 tool_1219
            tool_1220 tool_1221 tool_1222 tool_1223 tool_1224 tool_1225 tool_1226 tool_1227 tool_1228 tool_1229
            tool_1230 tool_1231 tool_1232 tool_1233 tool_1234 tool_1235 tool_1236 tool_1237 tool_1238 tool_1239
            tool_1240 tool_1241 tool_1242 tool_1243 tool_1244 tool_1245 tool_1246 tool_1247 tool_1248 tool_1249
            tool_1250 tool_1251 tool_1252 tool_1253 tool_1254 tool_1255 tool_1256 tool_1257 tool_1258 tool_1259
            tool_1260 tool_1261 tool_1262 tool_1263 tool_1264 tool_1265 tool_1266 tool_1267 tool_1268 tool_1269
            tool_1270 tool_1271 tool_1272 tool_1273 tool_1274 tool_1275 tool_1276 tool_1277 tool_1278 tool_1279
            tool_1280 tool_1281 tool_1282 tool_1283 tool_1284 tool_1285 tool_1286 tool_1287 tool_1288 tool_1289
            tool_1290 tool_1291 tool_1292 tool_1293 tool_1294 tool_1295 tool_1296 tool_1297 tool_1298 tool_1299
            tool_1300 tool_1301 tool_1302 tool_1303 tool_1304 tool_1305 tool_1306 tool_1307 tool_1308 tool_1309
            tool_1310 tool_1311 tool_1312 tool_1313 tool_1314 tool_1315 tool_1316 tool_1317 tool_1318 tool_1319
            tool_1320 tool_1321 tool_1322 tool_1323 tool_1324 tool_1325 tool_1326 tool_1327 tool_1328 tool_1329
            tool_1330 tool_1331 tool_1332 tool_1333 tool_1334 tool_1335 tool_1336 tool_1337 tool_1338 tool_1339
            tool_1340 tool_1341 tool_1342 tool_1343 tool_1344 tool_1345 tool_1346 tool_1347 tool_1348 tool_1349
            tool_1350 tool_1351 tool_1352 tool_1353 tool_1354 tool_1355 tool_1356 tool_1357 tool_1358 tool_1359
            tool_1360 tool_1361 tool_1362 tool_1363 tool_1364 tool_1365 tool_1366 tool_1367 tool_1368 tool_1369
            tool_1370 tool_1371 tool_1372 tool_1373 tool_1374 tool_1375 tool_1376 tool_1377 tool_1378 tool_1379
            tool_1380 tool_1381 tool_1382 tool_1383 tool_1384 tool_1385 tool_1386 tool_1387 tool_1388 tool_1389
            tool_1390 tool_1391 tool_1392 tool_1393 tool_1394 tool_1395 tool_1396 tool_1397 tool_1398 tool_1399
            tool_1400 tool_1401 tool_1402 tool_1403 tool_1404 tool_1405 tool_1406 tool_1407 tool_1408 tool_1409
            tool_1410 tool_1411 tool_1412 tool_1413 tool_1414 tool_1415 tool_1416 tool_1417 tool_1418 tool_1419
            tool_1420 tool_1421 tool_1422 tool_1423 tool_1424 tool_1425 tool_1426 tool_1427 tool_1428 tool_1429
            tool_1430 tool_1431 tool_1432 tool_1433 tool_1434 tool_1435 tool_1436 tool_1437 tool_1438 tool_1439
            tool_1440 tool_1441 tool_1442 tool_1443 tool_1444 tool_1445 tool_1446 tool_1447 tool_1448 tool_1449
            tool_1450 tool_1451 tool_1452 tool_1453 tool_1454 tool_1455 tool_1456 tool_1457 tool_1458 tool_1459
            tool_1460 tool_1461 tool_1462 tool_1463 tool_1464 tool_1465 tool_1466 tool_1467 tool_1468 tool_1469
            tool_1470 tool_1471 tool_1472 tool_1473 tool_1474 tool_1475 tool_1476 tool_1477 tool_1478 tool_1479
            tool_1480 tool_1481 tool_1482 tool_1483 tool_1484 tool_1485 tool_1486 tool_1487 tool_1488 tool_1489
            tool_1490 tool_1491 tool_1492 tool_1493 tool_1494 tool_1495 tool_1496 tool_1497 tool_1498 tool_1499
            tool_1500 tool_1501 tool_1502 tool_1503 tool_1504 tool_1505 tool_1506 tool_1507 tool_1508 tool_1509
            tool_1510 tool_1511 tool_1512 tool_1513 tool_1514 tool_1515 tool_1516 tool_1517 tool_1518 tool_1519
            tool_1520 tool_1521 tool_1522 tool_1523 tool_1524 tool_1525 tool_1526 tool_1527 tool_1528 tool_1529
            tool_1530 tool_1531 tool_1532 tool_1533 tool_1534 tool_1535 tool_1536 tool_1537 tool_1538 tool_1539
            tool_1540 tool_1541 tool_1542 tool_1543 tool_1544 tool_1545 tool_1546 tool_1547 tool_1548 tool_1549
            tool_1550 tool_1551 tool_1552 tool_1553 tool_1554 tool_1555 tool_1556 tool_1557 tool_1558 tool_1559
            tool_1560 tool_1561 tool_1562 tool_1563 tool_1564 tool_1565 tool_1566 tool_1567 tool_1568 tool_1569
            tool_1570 tool_1571 tool_1572 tool_1573 tool_1574 tool_1575 tool_1576 tool_1577 tool_1578 tool_1579
            tool_1580 tool_1581 tool_1582 tool_1583 tool_1584 tool_1585 tool_1586 tool_1587 tool_1588 tool_1589
            tool_1590 tool_1591 tool_1592 tool_1593 tool_1594 tool_1595 tool_1596 tool_1597 tool_1598 tool_1599
            tool_1600 tool_1601 tool_1602 tool_1603 tool_1604 tool_1605 tool_1606 tool_1607 tool_1608 tool_1609
            tool_1610 tool_1611 tool_1612 tool_1613 tool_1614 tool_1615 tool_1616 tool_1617 tool_1618 tool_1619
            tool_1620 tool_1621 tool_1622 tool_1623 tool_1624 tool_1625 tool_1626 tool_1627 tool_1628 tool_1629
            tool_1630 tool_1631 tool_1632 tool_1633 tool_1634 tool_1635 tool_1636 tool_1637 tool_1638 tool_1639
            tool_1640 tool_1641 tool_1642 tool_1643 tool_1644 tool_1645 tool_1646 tool_1647 tool_1648 tool_1649
            tool_1650 tool_1651 tool_1652 tool_1653 tool_1654 tool_1655 tool_1656 tool_1657 tool_1658 tool_1659
            tool_1660 tool_1661 tool_1662 tool_1663 tool_1664 tool_1665 tool_1666 tool_1667 tool_1668 tool_1669
            tool_1670 tool_1671 tool_1672 tool_1673 tool_1674 tool_1675 tool_1676 tool_1677 tool_1678 tool_1679
            tool_1680 tool_1681 tool_1682 tool_1683 tool_1684 tool_1685 tool_1686 tool_1687 tool_1688 tool_1689
            tool_1690 tool_1691 tool_1692 tool_1693 tool_1694 tool_1695 tool_1696 tool_1697 tool_1698 tool_1699
            tool_1700 tool_1701 tool_1702 tool_1703 tool_1704 tool_1705 tool_1706 tool_1707 tool_1708 tool_1709
            tool_1710 tool_1711 tool_1712 tool_1713 tool_1714 tool_1715 tool_1716 tool_1717 tool_1718 tool_1719
            tool_1720 tool_1721 tool_1722 tool_1723 tool_1724 tool_1725 tool_1726 tool_1727 tool_1728 tool_1729
            tool_1730 tool_1731 tool_1732 tool_1733 tool_1734 tool_1735 tool_1736 tool_1737 tool_1738 tool_1739
            tool_1740 tool_1741 tool_1742 tool_1743 tool_1744 tool_1745 tool_1746 tool_1747 tool_1748 tool_1749
            tool_1750 tool_1751 tool_1752 tool_1753 tool_1754 tool_1755 tool_1756 tool_1757 tool_1758 tool_1759
            tool_1760 tool_1761 tool_1762 tool_1763 tool_1764 tool_1765 tool_1766 tool_1767 tool_1768 tool_1769
            tool_1770 tool_1771 tool_1772 tool_1773 tool_1774 tool_1775 tool_1776 tool_1777 tool_1778 tool_1779
            tool_1780 tool_1781 tool_1782 tool_1783 tool_1784 tool_1785 tool_1786 tool_1787 tool_1788 tool_1789
            tool_1790 tool_1791 tool_1792 tool_1793 tool_1794 tool_1795 tool_1796 tool_1797 tool_1798 tool_1799
            tool_1800 tool_1801 tool_1802 tool_1803 tool_1804 tool_1805 tool_1806 tool_1807 tool_1808 tool_1809
            tool_1810 tool_1811 tool_1812 tool_1813 tool_1814 tool_1815 tool_1816 tool_1817 tool_1818 tool_1819
            tool_1820 tool_1821 tool_1822 tool_1823 tool_1824 tool_1825 tool_1826 tool_1827 tool_1828 tool_1829
            tool_1830 tool_1831 tool_1832 tool_1833 tool_1834 tool_1835 tool_1836 tool_1837 tool_1838 tool_1839
            tool_1840 tool_1841 tool_1842 tool_1843 tool_1844 tool_1845 tool_1846 tool_1847 tool_1848 tool_1849
            tool_1850 tool_1851 tool_1852 tool_1853 tool_1854 tool_1855 tool_1856 tool_1857 tool_1858 tool_1859
            tool_1860 tool_1861 tool_1862 tool_1863 tool_1864 tool_1865 tool_1866 tool_1867 tool_1868 tool_1869
            tool_1870 tool_1871 tool_1872 tool_1873 tool_1874 tool_1875 tool_1876 tool_1877 tool_1878 tool_1879
            tool_1880 tool_1881 tool_1882 tool_1883 tool_1884 tool_1885 tool_1886 tool_1887 tool_1888 tool_1889
            tool_1890 tool_1891 tool_1892 tool_1893 tool_1894 tool_1895 tool_1896 tool_1897 tool_1898 tool_1899
            tool_1900 tool_1901 tool_1902 tool_1903 tool_1904 tool_1905 tool_1906 tool_1907 tool_1908 tool_1909
            tool_1910 tool_1911 tool_1912 tool_1913 tool_1914 tool_1915 tool_1916 tool_1917 tool_1918 tool_1919
            tool_1920 tool_1921 tool_1922 tool_1923 tool_1924 tool_1925 tool_1926 tool_1927 tool_1928 tool_1929
            tool_1930 tool_1931 tool_1932 tool_1933 tool_1934 tool_1935 tool_1936 tool_1937 tool_1938 tool_1939
            tool_1940 tool_1941 tool_1942 tool_1943 tool_1944 tool_1945 tool_1946 tool_1947 tool_1948 tool_1949
            tool_1950 tool_1951 tool_1952 tool_1953 tool_1954 tool_1955 tool_1956 tool_1957 tool_1958 tool_1959
            tool_1960 tool_1961 tool_1962 tool_1963 tool_1964 tool_1965 tool_1966 tool_1967 tool_1968 tool_1969
            tool_1970 tool_1971 tool_1972 tool_1973 tool_1974 tool_1975 tool_1976 tool_1977 tool_1978 tool_1979
            tool_1980 tool_1981 tool_1982 tool_1983 tool_1984 tool_1985 tool_1986 tool_1987 tool_1988 tool_1989
            tool_1990 tool_1991 tool_1992 tool_1993 tool_1994 tool_1995 tool_1996 tool_1997 tool_1998 tool_1999
        }
    };
}

pub(crate) use {one, two_hundred, two_thousand};
